# assay-cc and assay-c++. What build systems only try out goes to clang at once: a script of configure calls it a hundred times. isTrial in
# src/toolchain/compiler-arguments.ts has the same rule; its test runs both.
trial=
case $PWD/ in
*/CMakeFiles/CMakeScratch/* | */CMakeFiles/CMakeTmp/* | */CMakeFiles/[0-9]*/CompilerId* | */meson-private/*) trial=yes ;;
esac
before=
for word; do
	case $before:${word##*/} in
	-o:* | -M[FJQT]:*) ;;
	*:conftest.* | *:conftest[0-9].*) trial=yes ;;
	esac
	before=$word
done
case $chosen in
*[\"\'\\]*) trial= ;; # Words for the driver to part.
esac
if [ -n "$trial" ] && [ -z "$chosen" ]; then
	version=40
	chosen=$name
	while [ "$version" -ge 15 ] && ! command -v "$chosen" > /dev/null; do
		chosen=$name-$version
		version=$((version - 1))
	done
fi
if [ -n "$trial" ]; then
	exec $chosen "$@"
fi
exec node "$here/assay.js" order cc --driver "$driver" -- "$@"
