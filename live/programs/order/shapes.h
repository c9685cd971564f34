// What both files of the program share: the linker sees each inline function twice and keeps one.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))

struct Shape {
	virtual ~Shape();
	virtual double area() const = 0;
	virtual NOINLINE std::string name() const { return "shape"; }
};

struct Named {
	virtual ~Named() = default;
	virtual int id() const = 0;
};

// Two bases: calls through Named go over thunks.
struct Square : Shape, virtual Named {
	explicit Square(double side) : side(side) {}
	~Square() override;
	double area() const override;
	int id() const override;
	double side;
};

struct Failure : std::runtime_error {
	Failure(const char *what, int code) : std::runtime_error(what), code(code) {}
	int code;
};

template <class T> NOINLINE T sumOf(const std::vector<T> &values) {
	T sum{};
	for (const T &value : values) {
		sum += value;
	}
	return sum;
}

NOINLINE inline int shared(int x) {
	static int calls = 0;
	return x + ++calls;
}

struct Counter {
	Counter();
	~Counter();
	int value;
};
extern thread_local Counter perThread;

int fromOther(int x);
int throwing(int depth);
