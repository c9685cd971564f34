import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes ExitTop and ExitBottom (class files of JDK 17): a daemon thread adds up odd numbers in two nested loops over all int, after a second main returns, or calls System.gc()
 * twice where there is an argument. The loops test at the top and jump back with goto, as javac compiles them, or at the bottom, as ecj does. Argument: the folder. Run with JDK 24 or later.
 */
public class GenerateExits {
    public static void main(String[] arguments) throws Exception {
        for (String name : new String[] {"ExitTop", "ExitBottom"}) {
            Files.write(Path.of(arguments[0], name + ".class"), bytes(ClassDesc.of(name), name.endsWith("Top")));
        }
    }

    private static byte[] bytes(ClassDesc self, boolean isTop) {
        ClassDesc thread = ClassDesc.of("java.lang.Thread");
        ClassDesc runnable = ClassDesc.of("java.lang.Runnable");
        return ClassFile.of().build(self, type -> type.withVersion(61, 0)
            .withFlags(ClassFile.ACC_PUBLIC)
            .withInterfaceSymbols(runnable)
            .withField("odd", ConstantDescs.CD_long, ClassFile.ACC_STATIC)
            .withMethodBody("<init>", ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, code -> code
                .aload(0).invokespecial(ConstantDescs.CD_Object, "<init>", ConstantDescs.MTD_void).return_())
            .withMethodBody("run", ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, code -> loops(code, self, isTop))
            .withMethodBody("main", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String.arrayType()), ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, code -> {
                Label end = code.newLabel();
                code.new_(thread).dup().new_(self).dup().invokespecial(self, "<init>", ConstantDescs.MTD_void).ldc("counter")
                    .invokespecial(thread, "<init>", MethodTypeDesc.of(ConstantDescs.CD_void, runnable, ConstantDescs.CD_String)).astore(1)
                    .aload(1).iconst_1().invokevirtual(thread, "setDaemon", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_boolean))
                    .aload(1).invokevirtual(thread, "start", ConstantDescs.MTD_void)
                    .ldc(1000L).invokestatic(thread, "sleep", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long))
                    .aload(0).arraylength().ifeq(end)
                    .invokestatic(ClassDesc.of("java.lang.System"), "gc", ConstantDescs.MTD_void)
                    // The first one is reached when an inner loop ends, so that this one waits for most of the next, however fast the machine is.
                    .ldc(10L).invokestatic(thread, "sleep", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long))
                    .invokestatic(ClassDesc.of("java.lang.System"), "gc", ConstantDescs.MTD_void)
                    .labelBinding(end).return_();
            }));
    }

    /** Lines as a source would have them: 3 the outer loop, 4 the inner one, 5 its body. Locals: 1 the sum, 3 and 4 the indexes. */
    private static void loops(CodeBuilder code, ClassDesc self, boolean isTop) {
        Label outerBody = code.newLabel();
        Label outerTest = code.newLabel();
        Label innerBody = code.newLabel();
        Label innerTest = code.newLabel();
        Label even = code.newLabel();
        Label innerEnd = code.newLabel();
        Label outerEnd = code.newLabel();
        code.lineNumber(2).lconst_0().lstore(1);
        code.lineNumber(3).iconst_0().istore(3);
        if (isTop) {
            code.labelBinding(outerTest).iload(3).ldc(Integer.MAX_VALUE).if_icmpge(outerEnd);
            code.lineNumber(4).iconst_0().istore(4);
            code.labelBinding(innerTest).iload(4).ldc(Integer.MAX_VALUE).if_icmpge(innerEnd);
            body(code, even);
            code.lineNumber(4).iinc(4, 1).goto_(innerTest).labelBinding(innerEnd);
            code.lineNumber(3).iinc(3, 1).goto_(outerTest).labelBinding(outerEnd);
        } else {
            code.goto_(outerTest);
            code.labelBinding(outerBody).lineNumber(4).iconst_0().istore(4).goto_(innerTest);
            code.labelBinding(innerBody);
            body(code, even);
            code.lineNumber(4).iinc(4, 1).labelBinding(innerTest).iload(4).ldc(Integer.MAX_VALUE).if_icmplt(innerBody);
            code.lineNumber(3).iinc(3, 1).labelBinding(outerTest).iload(3).ldc(Integer.MAX_VALUE).if_icmplt(outerBody);
        }
        code.lineNumber(6).lload(1).putstatic(self, "odd", ConstantDescs.CD_long).return_();
    }

    private static void body(CodeBuilder code, Label even) {
        // A product that each iteration waits for: no machine goes through all int in a moment.
        code.lineNumber(5).lload(1).ldc(31L).lmul().lstore(1);
        code.iload(4).iconst_1().iand().iconst_1().if_icmpne(even).lload(1).lconst_1().ladd().lstore(1).labelBinding(even);
    }
}
