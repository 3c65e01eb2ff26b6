import { expect, it } from 'vitest';
import { createLineWriter } from './line-writer.ts';

it('writes the first line at once, and in one batch what comes meanwhile', async () => {
  const batches: (readonly number[])[] = [];
  const gate = Promise.withResolvers<void>();
  const writer = createLineWriter<number>(async (lines) => {
    batches.push(lines);
    await gate.promise;
  });
  for (const line of [1, 2, 3]) void writer.add(line);
  expect(batches).toEqual([[1]]);
  gate.resolve();
  await writer.flush();
  expect(batches).toEqual([[1], [2, 3]]);
});

it('pushes back on one who is faster than the writing', async () => {
  const gate = Promise.withResolvers<void>();
  const writer = createLineWriter<number>(() => gate.promise);
  let pushedBackAt = 0;
  for (let line = 0; pushedBackAt === 0 && line < 10_000; line++) if (writer.add(line)) pushedBackAt = line;
  expect(pushedBackAt).toBeGreaterThan(100);
  expect(pushedBackAt).toBeLessThan(1_000);
  gate.resolve();
});

it('tells of a failure when it is flushed, and drops what comes later', async () => {
  let calls = 0;
  const writer = createLineWriter<number>(async () => {
    calls++;
    throw new Error('disk full');
  });
  void writer.add(1);
  await expect(writer.flush()).rejects.toThrow('disk full');
  void writer.add(2);
  await expect(writer.flush()).rejects.toThrow('disk full');
  expect(calls).toBe(1);
});
