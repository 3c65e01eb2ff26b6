import { SETTINGS } from './settings-table.ts';

const MEMORY_PATTERN = /^(\d+(?:\.\d+)?)(M|G|Mi|Gi)$/;
const UNIT_BYTES = { M: 1e6, G: 1e9, Mi: 2 ** 20, Gi: 2 ** 30 } as const;
const GIB = 2 ** 30;

/** Bytes of a memory size such as `512Mi`; undefined when it has another form. Bounds are not checked here. */
export function parseMemory(text: string): number | undefined {
  const match = MEMORY_PATTERN.exec(text);
  if (!match?.[1] || !match[2]) return undefined;
  return Math.floor(Number(match[1]) * UNIT_BYTES[match[2] as keyof typeof UNIT_BYTES]);
}

/** True for the memory sizes a service may have. */
export function isMemoryInRange(bytes: number): boolean {
  return bytes >= bytesOf(SETTINGS.memory.min) && bytes <= bytesOf(SETTINGS.memory.max);
}

/** True for the CPU counts a service may ask for: 0.08 to 1, or 2, 4, 6, 8. Source: docs/contract/control-plane.md §2. */
export function isCpuAllowed(cpu: number): boolean {
  const { min, max, steps } = SETTINGS.cpu;
  return (cpu >= min && cpu <= max) || steps.some((step) => step === cpu);
}

/** The least CPU that goes with a memory size. Source: docs/contract/control-plane.md §2, row `cpu`. */
export function minimumCpu(memoryBytes: number): number {
  if (memoryBytes > 24 * GIB) return 8;
  if (memoryBytes > 16 * GIB) return 6;
  if (memoryBytes > 8 * GIB) return 4;
  if (memoryBytes > 4 * GIB) return 2;
  if (memoryBytes > 1 * GIB) return 1;
  if (memoryBytes > 0.5 * GIB) return 0.5;
  return SETTINGS.cpu.min;
}

/** The least memory (bytes) that goes with a CPU count; memory is never raised, so less is an error. */
export function minimumMemoryBytes(cpu: number): number {
  if (cpu >= 6) return 4 * GIB;
  if (cpu >= 4) return 2 * GIB;
  return bytesOf(SETTINGS.memory.min);
}

/** CPU after the automatic raise: never lowered, idempotent, monotone in memory. */
export function raisedCpu(cpu: number, memoryBytes: number): number {
  return Math.max(cpu, minimumCpu(memoryBytes));
}

function bytesOf(size: string): number {
  return parseMemory(size) ?? 0;
}
