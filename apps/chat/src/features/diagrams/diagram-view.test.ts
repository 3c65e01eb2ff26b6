// @vitest-environment happy-dom
import { createElement } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { openBrowser, openScreen, t } from '../../testing/open-screen.ts';
import { type Diagram, DiagramError, type DiagramOrder } from './diagram-drawer.ts';
import { DiagramDrawerContext } from './diagram-drawer-context.ts';
import { DiagramView } from './diagram-view.tsx';

const SVG: Diagram = { svg: '<svg onload="x()"/>', width: 100, height: 50 };

/** A diagram of the source `A-->B`; `isDark` is the theme of the device. */
async function open(draw: (order: DiagramOrder) => Promise<Diagram>, { isLive = false, isDark = false } = {}) {
  const listeners = new Set<() => void>();
  const device = {
    matches: isDark,
    addEventListener: (_type: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_type: string, listener: () => void) => listeners.delete(listener),
  };
  const drawn = vi.fn(draw);
  const content = (live: boolean) =>
    createElement(
      DiagramDrawerContext,
      { value: { draw: drawn } },
      createElement(DiagramView, { source: 'A-->B', isLive: live }),
    );
  const screen = await openScreen(content(isLive), openBrowser({ matchMedia: () => device }));
  const turn = (dark: boolean) =>
    screen.run(() => {
      device.matches = dark;
      for (const listener of [...listeners]) listener();
    });
  return { ...screen, drawn, end: () => screen.show(content(false)), listeners, turn };
}

describe('a diagram', () => {
  // Fails when the SVG becomes part of the page: its scripts would run there.
  it('is a picture that names its source', async () => {
    const { all, get } = await open(async () => SVG);
    expect(get('img').getAttribute('alt')).toBe(t('part.diagramOf', { source: 'A-->B' }));
    expect(get('img').getAttribute('src')).toBe(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(SVG.svg)}`);
    expect(all('img')).toHaveLength(1);
  });

  it('is drawn once its source is complete', async () => {
    const { drawn, end, get, has } = await open(async () => SVG, { isLive: true });
    expect([drawn.mock.calls, has('img'), get('status').textContent]).toEqual([[], false, t('part.drawing')]);
    await end();
    expect([drawn.mock.calls.length, has('img')]).toEqual([1, true]);
  });

  it('is drawn again when the theme changes, and stops listening on unmount', async () => {
    const { drawn, leave, listeners, turn } = await open(async () => SVG, { isDark: true });
    await turn(false);
    expect(drawn.mock.calls.map(([order]) => order.isDark)).toEqual([true, false]);
    await leave();
    expect(listeners.size).toBe(0);
  });

  it('shows its source and back', async () => {
    const { has, press, text } = await open(async () => SVG);
    await press(t('part.sourceText'));
    expect([has('img'), text().includes('A-->B')]).toEqual([false, true]);
    await press(t('part.diagram'));
    expect(has('img')).toBe(true);
  });
});

describe('a source that can’t be drawn', () => {
  it.each([
    ['what is wrong with it', new DiagramError('Parse error on line 1'), () => 'Parse error on line 1'],
    ['that it takes too long', new DiagramError('x', true), () => t('part.tooSlow')],
    ['that the frame failed', new Error('the frame is gone'), () => 'the frame is gone'],
  ])('is shown, and %s', async (_name, error, reason) => {
    const { get, has, text } = await open(() => Promise.reject(error));
    expect(get('note').textContent).toBe(t('part.notDrawn') + reason());
    expect([has('img'), text().includes('A-->B')]).toEqual([false, true]);
    expect(has('button', t('part.sourceText'))).toBe(false);
  });
});
