__attribute__((objc_root_class))
@interface Foo
- (int)bar:(int)x with:(int)y;
+ (int)make;
@end

@implementation Foo
- (int)bar:(int)x with:(int)y {
	return x * y;
}
+ (int)make {
	return 4;
}
@end

@interface Foo (More)
- (int)extra;
@end

@implementation Foo (More)
- (int)extra {
	return 5;
}
@end

int methods(void) {
	return [Foo make];
}

int main(void) {
	return methods();
}
