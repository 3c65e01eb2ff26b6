/** A system call as a filter sees it: `struct seccomp_data` of the kernel, without the instruction pointer. */
export interface SystemCall {
  /** `AUDIT_ARCH_…`. */
  readonly audit: number;
  readonly number: number;
  /** Up to six, 64 bits each; the others are 0. */
  readonly args?: readonly bigint[];
}

/**
 * Runs a filter as the kernel does and returns its `SECCOMP_RET_…`.
 * Written from seccomp(2) and the kernel's filter.txt, not from the compiler.
 * @throws Error for an instruction it does not know, and at the end of a filter that has not returned.
 */
export function runFilter(filter: Buffer, { audit, number, args = [] }: SystemCall): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  args.forEach((value, index) => {
    data.writeBigUInt64LE(value, 16 + 8 * index);
  });
  let accumulator = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at);
    const operand = filter.readUInt32LE(at + 4);
    const skip = (isTrue: boolean): void => {
      at += 8 * filter.readUInt8(at + (isTrue ? 2 : 3));
    };
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0;
    else if (code === 0x15) skip(accumulator === operand);
    else if (code === 0x35) skip(accumulator >= operand);
    else if (code === 0x06) return operand;
    else throw new Error(`instruction ${at / 8} is unknown: ${code}`);
  }
  throw new Error('the filter ends without an answer');
}
