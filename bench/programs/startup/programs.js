/**
 * Programs whose start-up `npm run bench:order-layout` compares: how they are compiled from a folder of their source, and small workloads. The last workload of each is
 * not traced: no layout was made for it.
 */
import path from 'node:path';

const own = import.meta.dirname;
const sql = path.resolve(own, '..', '..', '..', 'fixtures', 'orderfile', 'src');

/**
 * @typedef {object} StartUpProgram
 * @property {string} source where its source can be had
 * @property {(folder: string) => string[]} files to compile
 * @property {readonly string[]} flags
 * @property {readonly string[]} libraries
 * @property {string} extension of the workloads' files
 * @property {boolean} isStandardInput whether it reads a workload there
 * @property {readonly string[]} argv of each run, before the workload's file
 * @property {readonly (string | { file: string })[]} workloads texts or files
 */

/** @type {Record<string, StartUpProgram>} */
export const STARTUP_PROGRAMS = {
	sqlite: {
		source: 'SQLite: `apt-get source sqlite3`, and in it `./configure && make sqlite3.c shell.c`',
		files: (folder) => ['sqlite3.c', 'shell.c'].map((name) => path.join(folder, name)),
		flags: ['-DSQLITE_THREADSAFE=0', '-DSQLITE_ENABLE_RTREE', '-DSQLITE_ENABLE_FTS5', '-DSQLITE_OMIT_LOAD_EXTENSION'],
		libraries: ['-lm'],
		extension: '.sql',
		isStandardInput: true,
		argv: [':memory:'],
		workloads: [
			...['startup', 'workload_a', 'workload_b'].map((name) => ({ file: path.join(sql, `${name}.sql`) })),
			`create table t(a integer primary key, b text, c real); insert into t(b, c) values('x', 1.5), ('yy', 2.5), ('zzz', -3);
update t set b = upper(b) || '!' where a > 1; delete from t where c < 0;
select count(*), max(c), group_concat(b, '-') from t group by a % 2 having count(*) > 0 order by 1 desc limit 3;
create virtual table r using rtree(id, x0, x1, y0, y1); insert into r values(1, 0, 1, 0, 1), (2, 5, 6, 5, 6); select * from r where x0 < 3;
create view v as select b, json_array(c) from t; create trigger tr after insert on t begin update t set c = 0 where a = new.a; end;
begin; insert into t(b) values('q'); savepoint s; delete from t; rollback to s; commit; explain query plan select * from t where b like 'Y%';
`,
		],
	},
	quickjs: {
		source: 'QuickJS 2021-03-27: the folder `upstream-quickjs` of `pip download --no-deps --no-binary :all: quickjs==1.19.4`',
		files: (folder) => [
			...['quickjs.c', 'libregexp.c', 'libunicode.c', 'cutils.c', 'libbf.c'].map((name) => path.join(folder, name)),
			path.join(own, 'quickjs-main.c'),
		],
		flags: ['-D_GNU_SOURCE', '-DCONFIG_VERSION="2021-03-27"', '-DCONFIG_BIGNUM'],
		libraries: ['-lm', '-lpthread'],
		extension: '.js',
		isStandardInput: false,
		argv: [],
		workloads: [
			'let s = 0; for (let i = 0; i < 100; i++) s += i * i; print("sum", s); print([3, 1, 2].sort().join("-"));\n',
			`class A { constructor(x) { this.x = x; } get y() { return this.x * 2; } }
const m = new Map([["a", new A(1)], ["b", new A(4)]]); for (const [k, v] of m) print(k, v.y, \`t\${k}\`);
print(JSON.stringify({ a: [1, 2, { b: null }], c: "x" }), "abc-def".replace(/-(\\w)/g, (_, c) => c.toUpperCase()));
`,
			`function* g() { try { yield 1; yield 2; throw new Error("x"); } finally { print("done"); } }
try { for (const v of g()) print(v); } catch (e) { print(e.message); }
Promise.resolve(3).then((v) => print("p", v)); print(new Date(0).toISOString(), parseFloat("1.5e3"), [..."hello"].reverse().join(""), Object.entries({ q: 1 }).flat());
`,
			`const u = new Uint8Array([5, 1, 9]); u.sort(); print(u.join()); const p = new Proxy({}, { get: (_, k) => "got " + String(k) }); print(p.foo);
print(JSON.parse('[1,{"a":2}]')[1].a, (255).toString(16), Math.hypot(3, 4), "x".padStart(5, ".")); var { a, ...rest } = { a: 1, b: 2 }; print(rest.b ?? 0);
`,
			`print(/(\\d+)-(?<n>[a-z]+)/u.exec("12-ab").groups.n, "a,b,c".split(","), [1, 2, 3, 4].filter((x) => x & 1).map((x) => x ** 2).reduce((x, y) => x + y));
async function f() { await null; return 7; } f().then(print); eval("var z = 1 + 2"); print(z, new Set([1, 1, 2]).size, isNaN("x"), encodeURIComponent("a b"));
`,
		],
	},
	lua: {
		source: 'Lua: the folder `src` of `apt-get source lua5.4`',
		files: (folder) => LUA_MODULES.map((name) => path.join(folder, `${name}.c`)),
		// The seed of its hashes is the address of a function otherwise.
		flags: ['-DLUA_USE_LINUX', '-Dluai_makeseed(L)=0'],
		libraries: ['-Wl,-E', '-lm', '-ldl'],
		extension: '.lua',
		isStandardInput: false,
		argv: [],
		workloads: [
			'local t = {} for i = 1, 50 do t[#t + 1] = tostring(i) .. ":" .. string.format("%5.2f", i / 3) end print(#table.concat(t, ","))\n',
			`local words = {} for w in ("the quick brown fox jumps over the lazy dog the end"):gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
local keys = {} for k in pairs(words) do keys[#keys + 1] = k end table.sort(keys) for _, k in ipairs(keys) do io.write(k, "=", words[k], " ") end print()
`,
			`local Point = {} Point.__index = Point Point.__add = function(a, b) return setmetatable({ x = a.x + b.x }, Point) end
local p = setmetatable({ x = 1 }, Point) + setmetatable({ x = 2 }, Point) print(p.x, pcall(error, { code = 2 }) == false, math.floor(3.7), 7 // 2, 1 << 5)
`,
			`local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end end) print(co(), co(), co())
print(select("#", table.unpack({ 1, 2, 3 })), load("return 1 + 1")(), string.byte("A"), utf8.char(228), string.pack("i4", 7):len(), tonumber("0x10"), next({}))
`,
		],
	},
};

const LUA_MODULES = [
	...['lapi', 'lauxlib', 'lbaselib', 'lcode', 'lcorolib', 'lctype', 'ldblib', 'ldebug', 'ldo', 'ldump', 'lfunc', 'lgc', 'linit', 'liolib', 'llex', 'lmathlib'],
	...['lmem', 'loadlib', 'lobject', 'lopcodes', 'loslib', 'lparser', 'lstate', 'lstring', 'lstrlib', 'ltable', 'ltablib', 'ltm', 'lua', 'lundump', 'lutf8lib'],
	...['lvm', 'lzio'],
];
