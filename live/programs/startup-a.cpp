// Templates, lambdas, virtual calls, exceptions, static objects, and functions of one name in two modules: what an order of functions has to tell apart.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {
struct Announced {
	__attribute__((noinline)) explicit Announced(const char *name) : name(name) { std::printf("up %s\n", name); }
	__attribute__((noinline)) ~Announced() { std::printf("down %s\n", name); }
	const char *name;
};
Announced early("early");
} // namespace

static __attribute__((noinline)) int helper(int x) { return x * 3 + 1; }

template <typename T, int N> __attribute__((noinline)) T scale(T x) {
	T sum = 0;
	for (int i = 0; i < N; i++) {
		sum += x * i;
	}
	return sum;
}

struct Shape {
	virtual ~Shape() = default;
	virtual int area() const = 0;
};
struct Square : Shape {
	explicit Square(int side) : side(side) {}
	int area() const override { return side * side; }
	int side;
};
struct Circle : Shape {
	explicit Circle(int radius) : radius(radius) {}
	int area() const override { return 3 * radius * radius; }
	int radius;
};

int other(int);
int never(int x) { return helper(x) - other(x); }

static int apply(const std::function<int(int)> &f, int x) { return f(x); }

int main(int argc, char **) {
	std::vector<std::unique_ptr<Shape>> shapes;
	for (int i = 0; i < 10; i++) {
		shapes.push_back(i % 2 != 0 ? std::unique_ptr<Shape>(new Square(i)) : std::unique_ptr<Shape>(new Circle(i)));
	}
	std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) { return a->area() < b->area(); });
	int sum = 0;
	for (const auto &shape : shapes) {
		sum += shape->area();
	}
	auto lambda = [sum](int x) { return sum + helper(x); };
	std::map<std::string, int> names{{"one", 1}, {"two", 2}};
	if (argc > 1) {
		names["three"] = other(3);
	}
	try {
		if (argc > 2) {
			throw std::string("thrown");
		}
		sum += apply(lambda, scale<int, 4>(argc));
	} catch (const std::string &) {
		sum -= static_cast<int>(scale<double, 3>(2.5));
	}
	std::printf("%d %zu\n", sum, names.size());
	return 0;
}
