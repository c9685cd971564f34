/** Names as perf 6.1 prints them, which has GNU's demangler without parameters. */
import { expect, test } from 'vitest';
import { openDemangler } from './demangler.js';
import { withoutParameters } from './function-name.js';

test.each([
	['f(int)', 'f'],
	['PhaseChaitin::Split(unsigned int, ResourceArea*)', 'PhaseChaitin::Split'],
	['void std::sort<int*>(int*, int*)', 'std::sort<int*>'],
	['std::vector<int, std::allocator<int> > make<char const*>(char const*)', 'make<char const*>'],
	['A::f() const', 'A::f'],
	['A::operator()(int) const', 'A::operator()'],
	['A::operator<<(int)', 'A::operator<<'],
	['A::operator bool() const', 'A::operator bool'],
	['bool operator==<char>(A<char> const&, A<char> const&)', 'operator==<char>'],
	['(anonymous namespace)::init(UResource*)', '(anonymous namespace)::init'],
	['void (anonymous namespace)::run<int>(int)', '(anonymous namespace)::run<int>'],
	['f(int)::{lambda(char)#1}::operator()(char) const', 'f(int)::{lambda(char)#1}::operator()'],
	['G1::walk(int) const::{lambda()#1}::operator()() const', 'G1::walk(int) const::{lambda()#1}::operator()'],
	['core::ptr::drop_in_place<alloc::string::String>', 'core::ptr::drop_in_place<alloc::string::String>'],
	['vtable for A', 'vtable for A'],
	['{virtual override thunk({offset(-8)}, B::run(C*))}', 'non-virtual thunk to B::run(C*)'],
	['Buffer<char, (unsigned long)1024>::grow()', 'Buffer<char, 1024ul>::grow'],
	['void Run<Phase, >()', 'Run<Phase>'],
	['void f<(bool)1, (int)-2>()', 'f<true, -2>'],
	['', ''],
	['f(', 'f'],
	['operator', 'operator'],
])('%s is %s', (meaning, name) => {
	expect(withoutParameters(meaning)).toBe(name);
});

test('of mangled names', async () => {
	const demangle = await openDemangler();
	const names = ['_ZN12PhaseChaitin5SplitEjP12ResourceArea', '_ZNKSt6vectorIiSaIiEE4sizeEv', '_ZSt4sortIPiEvT_S1_'];
	expect(names.map((name) => withoutParameters(demangle(name) ?? name))).toEqual([
		'PhaseChaitin::Split',
		'std::vector<int, std::allocator<int> >::size',
		'std::sort<int*>',
	]);
});
