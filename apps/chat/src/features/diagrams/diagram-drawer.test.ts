import { describe, expect, it } from 'vitest';
import type { DiagramAnswer } from './diagram-drawer.ts';
import { createDiagramDrawer, DiagramError, type DiagramRenderer } from './diagram-drawer.ts';

function open(answers: Readonly<Record<string, DiagramAnswer | Error | 'never'>>) {
  const log: string[] = [];
  const timers = new Set<{ readonly work: () => void; readonly delayMs: number }>();
  let opened = 0;
  const drawer = createDiagramDrawer({
    openRenderer(): DiagramRenderer {
      const id = ++opened;
      log.push(`open ${id}`);
      return {
        async draw({ source }) {
          log.push(source);
          const answer = answers[source] ?? { svg: `<svg>${source}</svg>`, width: 1, height: 1 };
          if (answer === 'never') return await new Promise<never>(() => {});
          if (answer instanceof Error) throw answer;
          return answer;
        },
        close: () => void log.push(`close ${id}`),
      };
    },
    schedule(work, delayMs) {
      const timer = { work, delayMs };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  });
  const fire = () => {
    const [timer] = timers;
    if (!timer) return undefined;
    timers.delete(timer);
    timer.work();
    return timer.delayMs;
  };
  const draw = (source: string, isDark = false) => drawer.draw({ source, isDark });
  return { draw, log, fire };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('diagrams', () => {
  it('are drawn one after the other, each once for light and once for dark', async () => {
    const { draw, log } = open({});
    const [a, again] = await Promise.all([draw('a'), draw('a'), draw('b')]);
    expect(again).toBe(a);
    await draw('a', true);
    expect(log).toEqual(['open 1', 'a', 'b', 'a']);
  });

  it('that are none are said to be, and asked for once', async () => {
    const { draw, log } = open({ bad: { problem: 'Parse error on line 1' } });
    await expect(draw('bad')).rejects.toThrow('Parse error on line 1');
    await expect(draw('bad')).rejects.toThrow(DiagramError);
    expect(log).toEqual(['open 1', 'bad']);
  });

  it('that never end cost their own time: the next is drawn on a new renderer', async () => {
    const { draw, log, fire } = open({ endless: 'never' });
    await draw('a');
    const [endless, next] = [draw('endless'), draw('next')];
    const failed = expect(endless).rejects.toMatchObject({ isTooSlow: true });
    await settled();
    expect(fire()).toBe(5_000);
    await failed;
    await next;
    expect(log).toEqual(['open 1', 'a', 'endless', 'close 1', 'open 2', 'next']);
  });

  it('may be tried again where the frame failed', async () => {
    const { draw, log } = open({ a: new Error('offline') });
    await expect(draw('a')).rejects.toThrow('offline');
    await expect(draw('a')).rejects.toThrow('offline');
    expect(log).toEqual(['open 1', 'a', 'close 1', 'open 2', 'a', 'close 2']);
  });

  it('leave nothing behind when nobody needs one', async () => {
    const { draw, log, fire } = open({});
    await draw('a');
    expect(fire()).toBe(20_000);
    await draw('b');
    expect(log).toEqual(['open 1', 'a', 'close 1', 'open 2', 'b']);
  });
});
