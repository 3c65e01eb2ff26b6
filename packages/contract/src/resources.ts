import { SETTINGS } from './settings-table.ts';

const MEMORY_PATTERN = /^(\d+(?:\.\d+)?)(M|G|Mi|Gi)$/;
const UNIT_BYTES = { M: 1e6, G: 1e9, Mi: 2 ** 20, Gi: 2 ** 30 } as const;
const GIB = 2 ** 30;

/** Parses a memory size such as `512Mi` to bytes; undefined for an invalid format. Doesn't check bounds. */
export function parseMemory(text: string): number | undefined {
  const match = MEMORY_PATTERN.exec(text);
  if (!match?.[1] || !match[2]) return undefined;
  return Math.floor(Number(match[1]) * UNIT_BYTES[match[2] as keyof typeof UNIT_BYTES]);
}

/** Returns true for a memory size that a service may have. */
export function isMemoryInRange(bytes: number): boolean {
  return bytes >= bytesOf(SETTINGS.memory.min) && bytes <= bytesOf(SETTINGS.memory.max);
}

/**
 * Returns true for a CPU count that a service may have: 0.08 to 1, or 2, 4, 6, 8. Source: docs/contract/control-plane.md §2.
 */
export function isCpuAllowed(cpu: number): boolean {
  const { min, max, steps } = SETTINGS.cpu;
  return (cpu >= min && cpu <= max) || steps.some((step) => step === cpu);
}

/** Returns the minimum CPU for a memory size. Source: docs/contract/control-plane.md §2, row `cpu`. */
export function minimumCpu(memoryBytes: number): number {
  if (memoryBytes > 24 * GIB) return 8;
  if (memoryBytes > 16 * GIB) return 6;
  if (memoryBytes > 8 * GIB) return 4;
  if (memoryBytes > 4 * GIB) return 2;
  if (memoryBytes > 1 * GIB) return 1;
  if (memoryBytes > 0.5 * GIB) return 0.5;
  return SETTINGS.cpu.min;
}

/** Returns the minimum memory in bytes for a CPU count. Memory is never raised automatically, so less is an error. */
export function minimumMemoryBytes(cpu: number): number {
  if (cpu >= 6) return 4 * GIB;
  if (cpu >= 4) return 2 * GIB;
  return bytesOf(SETTINGS.memory.min);
}

/**
 * Returns the CPU count after raising it to the minimum for the memory. Never lowers it; idempotent and monotone in memory.
 */
export function raisedCpu(cpu: number, memoryBytes: number): number {
  return Math.max(cpu, minimumCpu(memoryBytes));
}

function bytesOf(size: string): number {
  return parseMemory(size) ?? 0;
}
