# assay-cc and assay-c++. What build systems only try out goes to clang at once, as the driver does it (isTrial): a script of configure calls it a hundred times.
trial=
case $PWD/ in
*/CMakeFiles/CMakeScratch/* | */CMakeFiles/CMakeTmp/* | */CMakeFiles/*/CompilerId* | */meson-private/*) trial=yes ;;
esac
for word; do
	case ${word##*/} in
	conftest.* | conftest[0-9].*) trial=yes ;;
	esac
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
