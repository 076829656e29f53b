/* Legacy encodings: integer, system, x87, MMX, SSE. */
#include "tests/decoders/forms/forms.inc"

	/* Integer: every width, register kind and memory form that compilers emit. */
	.irp op, add, or, adc, sbb, and, sub, xor, cmp, test, mov
	form \op %al, %dh
	form \op %sil, %r9b
	form \op %ax, %r9w
	form \op %eax, %ebx
	form \op %r8, %rsp
	form \op\()b $5, %ch
	form \op\()w $0x1234, %cx
	form \op\()w $5, %r10w
	form \op\()l $5, %eax
	form \op\()l $0x12345678, %eax
	form \op\()l $0x12345678, %r12d
	form \op\()q $-5, %rax
	form \op\()q $0x12345678, %r12
	mem "\op\()b $5,", ""
	mem "\op\()w $0x1234,", ""
	mem "\op\()l $0x12345678,", ""
	mem "\op\()q $0x12345678,", ""
	mem "\op %r9b,", ""
	mem "\op %rdi,", ""
	form \op %rdi, 0x1000(%rip)
	form \op\()l $0x1234, 0x1000(%rip)
	form \op\()b $1, %fs:0x28
	form \op %rax, %fs:0x28
	form \op %rax, %gs:(%rcx, %rdx, 8)
	form \op %eax, (%ecx, %edx, 8)
	form \op %eax, 0x11223344(, %r9, 4)
	.endr
	.irp op, not, neg, mul, imul, div, idiv, inc, dec
	form \op\()b %ah
	form \op\()b %r9b
	form \op\()w %ax
	form \op\()l %r10d
	form \op\()q %rbx
	mem "\op\()b", ""
	mem "\op\()q", ""
	.endr
	.irp op, rol, ror, rcl, rcr, shl, shr, sar
	form \op\()b %ah
	form \op\()l $3, %r9d
	form \op\()q $63, %rax
	form \op\()q %cl, %rax
	form \op\()w $3, %ax
	mem "\op\()b $7,", ""
	mem "\op\()q %cl,", ""
	mem "\op\()l", ""
	.endr
	.irp op, shld, shrd
	form \op $3, %ax, %bx
	form \op $3, %eax, %r9d
	form \op %cl, %rax, %rbx
	mem "\op $3, %rax,", ""
	mem "\op %cl, %eax,", ""
	.endr
	.irp op, bt, bts, btr, btc
	form \op %ax, %bx
	form \op %eax, %r9d
	form \op %rax, %rbx
	form \op\()w $3, %r9w
	form \op\()l $3, %ebx
	form \op\()q $63, %rbx
	mem "\op %rax,", ""
	mem "\op\()l $3,", ""
	.endr
	.irp op, bsf, bsr, tzcnt, lzcnt, popcnt
	form \op %ax, %bx
	form \op %r9d, %ebx
	form \op %rax, %rbx
	mem "\op", ", %r11"
	mem "\op", ", %ax"
	.endr
	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	form set\cc %al
	form set\cc %r9b
	mem "set\cc", ""
	form cmov\cc %ax, %bx
	form cmov\cc %r9d, %ebx
	mem "cmov\cc", ", %r9"
	form j\cc . + 5
	form j\cc . + 500
	.endr
	.irp s, movzb, movsb
	form \s\()w %al, %r9w
	form \s\()l %ah, %eax
	form \s\()q %sil, %rax
	mem "\s\()l", ", %r9d"
	mem "\s\()q", ", %rdx"
	.endr
	form movzwl %ax, %ebx
	form movswq %ax, %rbx
	form movslq %eax, %rbx
	mem "movzwl", ", %ebx"
	mem "movslq", ", %r15"
	form movabs $0x1122334455667788, %rax
	form movabs $0x1122334455667788, %r15
	form movabs 0x1122334455667788, %rax
	form movabs %al, 0x1122334455667788
	form mov $0x12345678, %r9d
	form movw $0x1234, %r9w
	form movb $1, %spl
	form mov %ds, %eax
	form mov %eax, %es
	mem "mov %ds,", ""
	mem "lea", ", %rax"
	mem "lea", ", %r9d"
	form lea 0x1234(%rip), %rax
	form lea (%rax, %rbx), %cx
	form lea (%eax), %rcx
	form imul %ax, %bx
	form imul %r9, %rax
	form imul $5, %r9d, %eax
	form imul $0x1234, %ax, %bx
	form imul $0x12345678, %rax, %rbx
	mem "imul $0x12345678,", ", %rbx"
	form xchg %al, %ah
	form xchg %rax, %r9
	form xchg %eax, %ecx
	form xchg %r8, %rax
	mem "xchg %rax,", ""
	form xadd %al, %bl
	form cmpxchg %r9, %rbx
	mem "lock xadd %rax,", ""
	mem "lock cmpxchg %al,", ""
	mem "lock cmpxchg8b", ""
	mem "lock cmpxchg16b", ""
	mem "lock addl $1,", ""
	mem "lock btsq $3,", ""
	form bswap %eax
	form bswap %r15
	mem "movbe", ", %rax"
	mem "movbe %r9w,", ""
	form crc32b %r9b, %eax
	form crc32w %ax, %eax
	form crc32l %eax, %ebx
	form crc32q %rax, %r9
	mem "crc32q", ", %rax"
	mem "crc32w", ", %eax"
	form adcx %rax, %rbx
	form adox %r9d, %eax
	mem "adcx", ", %rax"
	form push %rax
	form push %r15
	form pushw %ax
	form push $5
	form push $0x12345678
	form pushw $0x1234
	mem "pushq", ""
	form pop %rsp
	form pop %r15
	mem "popq", ""
	form push %fs
	form pop %gs
	form pushf
	form popf
	form enter $0x1234, $5
	form leave
	form ret
	form ret $0x1234
	form rep ret
	form lretl
	form iretq
	form call . + 0x1000
	form call *%rax
	form call *%r15
	mem "call *", ""
	form call *0x1000(%rip)
	form notrack jmp *%rax
	form notrack jmp *(%rax, %r9, 8)
	form bnd jmp *%r11
	form bnd call . + 0x1000
	form bnd jne . + 0x1000
	form jmp . + 5
	form jmp . + 0x1000
	form jmp *%fs:0x10
	mem "jmp *", ""
	mem "ljmp *", ""
	mem "lcall *", ""
	form loop . + 5
	form loope . + 5
	form loopne . + 5
	form jrcxz . + 5
	form jecxz . + 5
	form .byte 0x66, 0x66, 0x48, 0xe8, 0, 0, 0, 0
	form .byte 0x66, 0x48, 0x8d, 0x3d, 0, 0, 0, 0
	form .byte 0x66, 0xe8, 0, 0, 0, 0
	form syscall
	form sysenter
	form int3
	form int $0x80
	form ud2
	form ud1 %eax, %ebx
	form ud1 0x40(%rax), %ebx
	form hlt
	form xbegin . + 0x1000
	form xend
	form xabort $5
	form xtest
	form nop
	form pause
	form xchg %ax, %ax
	form nopl (%rax)
	form nopw 0x0(%rax, %rax, 1)
	form cs nopw 0x0(%rax, %rax, 1)
	form .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	form endbr64
	form endbr32
	form rdsspq %rax
	form rdsspd %r9d
	form incsspq %rax
	form incsspd %eax
	form saveprevssp
	mem "rstorssp", ""
	mem "wrssq %rax,", ""
	mem "wrssd %eax,", ""
	mem "wrussq %rax,", ""
	form setssbsy
	mem "clrssbsy", ""
	form cpuid
	form rdtsc
	form rdtscp
	form rdpmc
	form rdrand %eax
	form rdrand %r9
	form rdseed %ax
	form rdpid %rax
	form rdpkru
	form wrpkru
	form xgetbv
	form rdfsbase %rax
	form wrgsbase %r9d
	form serialize
	form umonitor %rax
	form umwait %eax
	form tpause %eax
	form lfence
	form mfence
	form sfence
	mem "clflush", ""
	mem "clflushopt", ""
	mem "clwb", ""
	mem "cldemote", ""
	mem "prefetchnta", ""
	mem "prefetcht0", ""
	mem "prefetchw", ""
	mem "prefetchwt1", ""
	mem "movnti %rax,", ""
	mem "movdiri %rax,", ""
	mem "movdir64b", ", %rax"
	mem "enqcmd", ", %rax"
	mem "fxsave", ""
	mem "fxrstor64", ""
	mem "xsave", ""
	mem "xsavec64", ""
	mem "xsaveopt", ""
	mem "xrstor64", ""
	mem "ldmxcsr", ""
	mem "stmxcsr", ""
	mem "ptwriteq", ""
	form lahf
	form sahf
	form cmc
	form clc
	form stc
	form cld
	form std
	form cbw
	form cwde
	form cdqe
	form cwd
	form cdq
	form cqo
	form xlat
	.irp s, b, w, l, q
	form movs\s
	form rep movs\s
	form stos\s
	form rep stos\s
	form lods\s
	form scas\s
	form repne scas\s
	form cmps\s
	form repe cmps\s
	.endr
	form movsb %fs:(%rsi), %es:(%rdi)
	form addr32 rep movsb

	/* x87 */
	.irp op, fadd, fmul, fcom, fcomp, fsub, fsubr, fdiv, fdivr
	form \op %st(3)
	mem "\op\()s", ""
	mem "\op\()l", ""
	.endr
	mem "flds", ""
	mem "fldl", ""
	mem "fldt", ""
	mem "fstpt", ""
	mem "fstps", ""
	mem "fildl", ""
	mem "fildll", ""
	mem "fistpll", ""
	mem "fisttpl", ""
	mem "fisttpll", ""
	mem "fldcw", ""
	mem "fnstcw", ""
	mem "fnstenv", ""
	mem "fldenv", ""
	mem "fnsave", ""
	mem "frstor", ""
	mem "fbstp", ""
	form fnstsw %ax
	form fnstcw 0x10(%rsp)
	form fld %st(1)
	form fld1
	form fldz
	form fldpi
	form fxch %st(1)
	form fstp %st(1)
	form fchs
	form fabs
	form fsqrt
	form fprem
	form frndint
	form fscale
	form fyl2x
	form fpatan
	form f2xm1
	form fxam
	form fucomi %st(1), %st
	form fucomip %st(1), %st
	form fcomi %st(1), %st
	form fcmovne %st(1), %st
	form fucompp
	form fnclex
	form fninit
	form fwait
	form ffree %st(1)
	form faddp %st, %st(1)
	form fsubrp %st, %st(2)

	/* MMX and SSE: operations common to both register files, then those of only one. */
	.irp op, paddb, paddw, paddd, paddq, psubb, psubq, pmullw, pmulhw, pmulhuw, pmuludq, pmaddwd, pand, pandn, por, pxor, pcmpeqb, pcmpeqd, pcmpgtw, punpcklbw, punpckhdq, packsswb, packuswb, packssdw, psllw, pslld, psrlq, psraw, pavgb, pminub, pmaxsw, psadbw, pshufb, phaddw, pmaddubsw, pmulhrsw, psignb, pabsb
	form \op %mm1, %mm7
	mem "\op", ", %mm3"
	form \op %xmm1, %xmm9
	mem "\op", ", %xmm3"
	.endr
	.irp op, psllw, psrld, psrad, psllq
	form \op $3, %mm1
	form \op $3, %xmm9
	.endr
	form pslldq $3, %xmm9
	form psrldq $3, %xmm1
	form pshufw $3, %mm1, %mm2
	form palignr $3, %mm1, %mm2
	form palignr $3, %xmm9, %xmm2
	mem "palignr $3,", ", %xmm12"
	.irp op, pshufd, pshuflw, pshufhw, shufps, shufpd, cmpps, cmppd, cmpss, cmpsd, roundps, roundsd, blendps, pblendw, dpps, mpsadbw, pclmulqdq, aeskeygenassist, pcmpestri, pcmpestrm, pcmpistri, pcmpistrm, sha1rnds4, gf2p8affineqb, insertps
	form \op $3, %xmm9, %xmm2
	mem "\op $3,", ", %xmm12"
	.endr
	.irp op, addps, addpd, addss, addsd, mulsd, divss, subpd, sqrtps, sqrtsd, minsd, maxps, andps, andnpd, orps, xorpd, ucomiss, ucomisd, comisd, unpcklps, unpckhpd, cvtps2pd, cvtpd2ps, cvtss2sd, cvtsd2ss, cvtdq2ps, cvttps2dq, cvtdq2pd, cvtpd2dq, rcpps, rsqrtss, haddps, addsubpd, movsldup, movddup, movups, movaps, movdqa, movdqu, movapd, punpcklqdq, pcmpeqq, pcmpgtq, pmulld, pminsd, pmaxud, packusdw, ptest, pmovzxbw, pmovsxdq, phminposuw, pmuldq, blendvps, pblendvb, aesenc, aesdeclast, aesimc, sha1msg1, sha256rnds2, sha256msg2, gf2p8mulb
	form \op %xmm9, %xmm2
	mem "\op", ", %xmm12"
	.endr
	.irp op, movups, movaps, movdqa, movdqu, movapd, movntps, movntdq, movlps, movhpd, movss, movsd, movq, movd
	mem "\op %xmm9,", ""
	.endr
	mem "movss", ", %xmm1"
	mem "movlpd", ", %xmm1"
	mem "movhps", ", %xmm1"
	mem "movntdqa", ", %xmm1"
	mem "lddqu", ", %xmm1"
	form movhlps %xmm1, %xmm2
	form movd %eax, %xmm9
	form movq %rax, %xmm9
	form movq %xmm9, %rax
	form movq %xmm9, %xmm1
	form movd %eax, %mm1
	form movq %mm1, %rax
	mem "movq %mm1,", ""
	mem "movntq %mm1,", ""
	form movq2dq %mm1, %xmm9
	form movdq2q %xmm9, %mm1
	form maskmovq %mm1, %mm2
	form maskmovdqu %xmm1, %xmm9
	form emms
	form pmovmskb %xmm9, %eax
	form pmovmskb %mm1, %r9d
	form movmskps %xmm9, %eax
	form movmskpd %xmm9, %eax
	form pextrw $3, %xmm9, %eax
	form pinsrw $3, %eax, %mm1
	form pinsrw $3, %r9d, %xmm1
	.irp s, b, d, q
	mem "pinsr\s $3,", ", %xmm9"
	mem "pextr\s $3, %xmm9,", ""
	.endr
	form pextrb $3, %xmm9, %eax
	form pinsrq $1, %r9, %xmm1
	mem "extractps $3, %xmm9,", ""
	form cvtsi2sd %eax, %xmm9
	form cvtsi2sd %rax, %xmm9
	mem "cvtsi2sdq", ", %xmm9"
	form cvttsd2si %xmm9, %rax
	form cvtss2si %xmm9, %eax
	mem "cvttsd2si", ", %rax"
	form cvtpi2ps %mm1, %xmm9
	form cvttpd2pi %xmm9, %mm1
	/* 3DNow!, for old AMD code */
	form pfadd %mm1, %mm2
	form pavgusb %mm1, %mm2
	form femms
	/* SSE4a: only Capstone describes these */
	mem "movntss %xmm1,", ""
	mem "movntsd %xmm9,", ""
