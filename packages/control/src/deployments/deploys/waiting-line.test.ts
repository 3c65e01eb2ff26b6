import { expect, it } from 'vitest';
import { createWaitingLine } from './waiting-line.ts';

const forever = new AbortController().signal;

it('lets in as many as it is wide, then one for each that leaves, in order', async () => {
  const line = createWaitingLine(2);
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await line.enter({ signal: forever });
    order.push(name);
    return leave;
  };
  const [leaveA] = await Promise.all([enter('a'), enter('b')]);
  const [c, d] = [enter('c'), enter('d')];
  expect([order, line.size]).toEqual([['a', 'b'], 4]);
  leaveA();
  leaveA();
  (await c)();
  await d;
  expect([order, line.size]).toEqual([['a', 'b', 'c', 'd'], 2]);
});

it('tells those who wait how many are ahead, again when that changes', async () => {
  const line = createWaitingLine(1);
  const leave = await line.enter({ signal: forever });
  const places: string[] = [];
  const gone = new AbortController();
  const wait = (name: string, signal: AbortSignal) =>
    line.enter({ signal, onPlace: (ahead) => places.push(`${name}${ahead}`) });
  const [first, second, third] = [wait('x', forever), wait('y', gone.signal), wait('z', forever)];
  gone.abort(new Error('changed my mind'));
  await expect(second).rejects.toThrow('changed my mind');
  leave();
  (await first)();
  await third;
  expect(places).toEqual(['x1', 'y2', 'z3', 'z2', 'z1']);
});

it('does not let in one who has given up', async () => {
  const line = createWaitingLine(1);
  await expect(line.enter({ signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
  expect(line.size).toBe(0);
});
