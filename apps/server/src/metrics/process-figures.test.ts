import { expect, it } from 'vitest';
import { createProcessMeter, processFiguresText } from './process-figures.ts';
import { readExposition } from './read-exposition.test-support.ts';

it('shows the figures of each process under its role, each name once', async () => {
  const figures = structuredClone(await createProcessMeter().figures());
  const text = await processFiguresText([
    { role: 'main', figures },
    { role: 'worker-1', figures },
  ]);
  const { types, value } = readExposition(text);
  expect(types.get('process_cpu_seconds_total')).toBe('counter');
  for (const role of ['main', 'worker-1']) {
    expect(value('process_resident_memory_bytes', { role })).toBeGreaterThan(1_000_000);
    expect(value('process_start_time_seconds', { role })).toBeGreaterThan(0);
  }
  expect(text.match(/^# TYPE process_resident_memory_bytes /gm)).toHaveLength(1);
});

it('measures this process', async () => {
  expect(readExposition(await createProcessMeter().text()).value('process_resident_memory_bytes')).toBeGreaterThan(
    1_000_000,
  );
});
