import { describe, expect, it } from 'vitest';
import { createMachineUse, type MachineSample, parseMachineSample } from './machine-use.ts';

// Recorded on a machine with two cores.
const STAT = `cpu  24772 15607 15320 53646 927 0 230 140 0 0
cpu0 12386 7803 7660 26823 463 0 115 70 0 0
cpu1 12386 7804 7660 26823 464 0 115 70 0 0
intr 8126104 0 9 0
ctxt 14012345
btime 1795903348
`;
const LOADAVG = '5.20 2.76 1.21 6/172 20932\n';
const NGINX =
  '3015 (nginx: master (1)) S 1 3015 2990 0 -1 4194560 1136 0 0 0 41 12 0 0 20 0 1 0 130561 21531648 2057 18446744073709551615 1 1 0 0 0 0 0 1073746048 402745863 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n';

const BENCH = 100;

/** Processes as [pid, parent, name, ticks]. */
function sample(
  totalTicks: number,
  stealTicks: number,
  ...processes: [number, number, string, number][]
): MachineSample {
  return {
    ...{ loadAverage: 1, cores: 2, totalTicks, stealTicks },
    processes: processes.map(([pid, parent, name, ticks]) => ({ pid, parent, name, ticks, startedTicks: 7 })),
  };
}

function reasonsOf(...samples: MachineSample[]): string[] {
  const use = createMachineUse(BENCH, (name) => name === 'dockerd');
  for (const one of samples) use.add(one);
  return use.reasons();
}

describe('parseMachineSample', () => {
  it('reads load, cores, steal and the CPU time of processes of any name', () => {
    expect(parseMachineSample({ loadavg: LOADAVG, stat: STAT, processes: [NGINX] })).toEqual({
      ...{ loadAverage: 5.2, cores: 2, totalTicks: 110_642, stealTicks: 140 },
      processes: [{ pid: 3015, parent: 1, name: 'nginx: master (1)', ticks: 53, startedTicks: 130_561 }],
    });
  });
});

describe('createMachineUse', () => {
  it('finds nothing on a machine that only the benchmark uses, with what it has started', () => {
    const before = sample(0, 0, [1, 0, 'init', 500], [BENCH, 1, 'node', 10], [101, BENCH, 'server', 0]);
    const after = sample(2_000, 10, [1, 0, 'init', 520], [BENCH, 1, 'node', 400], [101, BENCH, 'server', 900]);
    expect(reasonsOf(before, after)).toEqual([]);
  });

  it('names the others that used more than a tenth of a core', () => {
    const before = sample(0, 0, [BENCH, 1, 'node', 0], [7, 1, 'tsc', 1_000]);
    const after = sample(2_000, 0, [BENCH, 1, 'node', 400], [7, 1, 'tsc', 1_500], [8, 7, 'cc1', 100]);
    expect(reasonsOf(before, after)).toEqual(['other processes used 60 % of a core: tsc 50 %, cc1 10 %']);
  });

  it('counts a process that replaced another one under its id from zero', () => {
    const before = sample(0, 0, [BENCH, 1, 'node', 0], [7, 1, 'sh', 5_000]);
    const reused = sample(2_000, 0, [BENCH, 1, 'node', 0]);
    const process = { ...{ pid: 7, parent: 1, name: 'tsc', ticks: 500 }, startedTicks: 900 };
    expect(reasonsOf(before, { ...reused, processes: [...reused.processes, process] })).toHaveLength(1);
  });

  it('keeps a descendant whose parent has ended, and counts engines and kernel threads with nobody', () => {
    const before = sample(0, 0, [BENCH, 1, 'node', 0], [101, BENCH, 'server', 0], [102, 101, 'service', 0]);
    const after = sample(
      2_000,
      0,
      [BENCH, 1, 'node', 0],
      [102, 1, 'service', 900],
      [50, 1, 'dockerd', 900],
      [51, 50, 'runc', 300],
      [32, 2, 'kworker/0:1', 300],
    );
    expect(reasonsOf(before, after)).toEqual([]);
  });

  it('finds time that went to other machines', () => {
    const reasons = reasonsOf(sample(0, 5, [BENCH, 1, 'node', 0]), sample(2_000, 105, [BENCH, 1, 'node', 0]));
    expect(reasons).toEqual(['5 % of the CPU time went to other machines']);
  });
});
