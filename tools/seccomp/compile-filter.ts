import { constants } from 'node:os';
import { readNumbers, readProfile, readRules } from './read-rules.ts';
import { ARCHITECTURES, type Architecture, type Condition, fail, KILL_PROCESS, type Rule } from './rule.ts';

/** An instruction of classic BPF: `struct sock_filter` of the kernel. Jumps count the instructions to skip. */
type Instruction = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number];

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const RETURN = 0x06;
/** Offsets in `struct seccomp_data`. */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;
const INSTRUCTION_BYTES = 8;
const LOW_HALF = 0xffff_ffff;

/**
 * The filter for `architecture`, as the array of `struct sock_filter` that bubblewrap's `--seccomp` reads. Calls of
 * another architecture end the process. Calls that are newer than all rules fail with ENOSYS, so that the C library
 * falls back to older ones; those of x32 are numbered above all others.
 */
export function compileFilter(architecture: Architecture): Buffer {
  const profile = readProfile();
  const numbers = readNumbers(architecture);
  const rules = [...readRules(profile, architecture)]
    .flatMap(([name, rule]) => {
      const number = numbers.get(name);
      return number === undefined ? [] : [{ number, rule }];
    })
    .sort((one, other) => one.number - other.number);
  const isConstant = ({ rule }: { readonly rule: Rule }): boolean => rule.cases.length === 0;
  const newest = rules.at(-1)?.number ?? 0;
  const denied = fail(profile.defaultErrnoRet);
  const actions = Array.from({ length: newest + 1 }, () => denied);
  for (const { number, rule } of rules.filter(isConstant)) actions[number] = rule.otherwise;
  actions.push(fail(constants.errno.ENOSYS));
  const starts = actions.flatMap((action, number) => (action === actions[number - 1] ? [] : [{ number, action }]));
  return assemble([
    [LOAD, 0, 0, ARCHITECTURE_OFFSET],
    [JUMP_EQUAL, 1, 0, ARCHITECTURES[architecture].audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_OFFSET],
    ...rules.filter((one) => !isConstant(one)).flatMap(compileRule),
    // Ranges of numbers with one action, the highest first. The last one needs no test, and the kernel wants it last.
    ...starts
      .reverse()
      .flatMap(({ number, action }): Instruction[] => [
        ...(number === 0 ? [] : ([[JUMP_GREATER_OR_EQUAL, 0, 1, number]] as const)),
        [RETURN, 0, 0, action],
      ]),
  ]);
}

function compileRule({ number, rule }: { readonly number: number; readonly rule: Rule }): Instruction[] {
  const body: Instruction[] = [
    ...rule.cases.flatMap(({ when, action }) => compileCase(when, action)),
    [RETURN, 0, 0, rule.otherwise],
  ];
  return [[JUMP_EQUAL, 0, body.length, number], ...body];
}

/** Returns instructions for the action if all conditions hold; otherwise the next instructions run. */
function compileCase(when: readonly Condition[], action: number): Instruction[] {
  const halves = when.flatMap(({ index, mask, value }) =>
    [0, 1].map((half) => ({
      offset: ARGUMENTS_OFFSET + 8 * index + 4 * half,
      mask: Number((mask >> BigInt(32 * half)) & BigInt(LOW_HALF)),
      value: Number((value >> BigInt(32 * half)) & BigInt(LOW_HALF)),
    })),
  );
  let code: Instruction[] = [[RETURN, 0, 0, action]];
  for (const { offset, mask, value } of halves.filter((half) => half.mask !== 0).reverse()) {
    const masking: Instruction[] = mask === LOW_HALF ? [] : [[AND, 0, 0, mask]];
    code = [[LOAD, 0, 0, offset], ...masking, [JUMP_EQUAL, 0, code.length, value], ...code];
  }
  return code;
}

/** Little-endian, as both architectures are. @throws RangeError for a jump over more than 255 instructions. */
function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
  instructions.forEach(([code, jumpTrue, jumpFalse, operand], index) => {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jumpTrue, at + 2);
    bytes.writeUInt8(jumpFalse, at + 3);
    bytes.writeUInt32LE(operand, at + 4);
  });
  return bytes;
}
