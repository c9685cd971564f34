import { expect, test } from 'vitest';
import { comparableMethodName, compiledName, nativeTail, splitMethodName } from './method-name.js';

test('holder and name, and what stands behind the first bracket', () => {
	expect(splitMethodName('java.util.HashMap.getNode(Object)')).toEqual({ method: 'java.util.HashMap.getNode', signature: '(Object)' });
	expect(splitMethodName('a.B.f')).toEqual({ method: 'a.B.f', signature: null });
	expect(splitMethodName('(x)')).toEqual({ method: '', signature: '(x)' });
});

test.each([
	['a.B.f', 'a.B.f'],
	['a.B.f()', 'a.B.f()'],
	['a.B.f(java.lang.StringBuilder, int)', 'a.B.f(StringBuilder,int)'],
	['a.B.f(StringBuilder,int)', 'a.B.f(StringBuilder,int)'],
	['a.B.f(java.util.Map$Entry[])', 'a.B.f(Map$Entry[])'],
	['a.B.f(int)void', 'a.B.f(int)'],
	['a.B.f(java.lang.String', 'a.B.f(String)'],
])('%s is compared as %s', (name, comparable) => {
	expect(comparableMethodName(name)).toBe(comparable);
});

test.each([
	['leveldb::(anonymous namespace)::DBIter::Next', 'leveldb::(anonymous namespace)::DBIter::Next', null],
	['(anonymous namespace)::f(int)', '(anonymous namespace)::f', '(int)'],
	['a::B::operator()', 'a::B::operator()', null],
	['a::B::operator()(int) const', 'a::B::operator()', '(int) const'],
	['std::function<void (int)>::operator()(int) const', 'std::function<void (int)>::operator()', '(int) const'],
	['a::f(int)::{lambda(int)#1}::g', 'a::f(int)::{lambda(int)#1}::g', null],
	['<a::B as c::D<(u8, u8)>>::f', '<a::B as c::D<(u8, u8)>>::f', null],
	['a::B::operator->(int)', 'a::B::operator->', '(int)'],
	['a::f(', 'a::f', '('],
	['compress/flate.(*compressor).findMatch', 'compress/flate.(*compressor).findMatch', null],
	['net/http.(*conn).serve.func1', 'net/http.(*conn).serve.func1', null],
	['main.f[go.shape.func(int) bool].func1', 'main.f[go.shape.func(int) bool].func1', null],
	['main.(*List[go.shape.int]).Len(int)', 'main.(*List[go.shape.int]).Len', '(int)'],
	['a.B.f(java.util.Map$Entry[])', 'a.B.f', '(java.util.Map$Entry[])'],
	['a.B.f(Entry[], int)void', 'a.B.f', '(Entry[], int)void'],
	['a.(*B', 'a.', '(*B'],
	['a.B).f(int)', 'a.B).f', '(int)'],
])('of %s, which has brackets of its own', (name, method, signature) => {
	expect(splitMethodName(name)).toEqual({ method, signature });
});

test.each([
	['com.oracle.truffle.runtime.OptimizedCallTarget.profiledPERoot', 'parser.next <split-7>#1', 'Truffle: parser.next <split-7>'],
	['org.graalvm.compiler.truffle.runtime.OptimizedCallTarget.profiledPERoot', 'a#b', 'Truffle: a#b'],
	['com.oracle.truffle.runtime.OptimizedCallTarget.profiledPERoot', null, 'com.oracle.truffle.runtime.OptimizedCallTarget.profiledPERoot'],
	['com.oracle.truffle.runtime.OptimizedCallTarget.profiledPERoot', '', 'com.oracle.truffle.runtime.OptimizedCallTarget.profiledPERoot'],
	['a.B.f', 'kernel#1', 'a.B.f'],
])('a compilation of %s that was installed as %s is of %s', (method, installed, name) => {
	expect(compiledName(method, installed)).toBe(name);
});

test.each([
	['unlink_chunk.constprop.0', '.constprop.0'],
	['f.part.0.isra.0.cold', '.part.0.isra.0.cold'],
	['finish_task_switch.isra.0', '.isra.0'],
	['f.llvm.1234567890', '.llvm.1234567890'],
	['f.cold', '.cold'],
	['cfree@GLIBC_2.2.5', '@GLIBC_2.2.5'],
	['memcpy@@GLIBC_2.14', '@@GLIBC_2.14'],
	['libz.so.1@0x4830', 'libz.so.1@0x4830'],
	['main.main.func1.2', '.2'],
	['a.b.Weather.cold', ''],
	['java.util.HashMap.merge', ''],
	['malloc', ''],
])('what a linker has behind %s', (name, tail) => {
	expect(nativeTail(name)).toBe(tail);
});
