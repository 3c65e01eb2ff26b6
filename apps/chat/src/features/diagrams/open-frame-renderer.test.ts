// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../../testing/open-screen.ts';
import { openFrameRenderer } from './open-frame-renderer.ts';

const ORDER = { source: 'graph TD', isDark: false };

/** A renderer whose frame is loaded; `answer` is what the frame sends. */
function open(answer?: unknown) {
  const { document } = openBrowser();
  const renderer = openFrameRenderer();
  const frame = document.querySelector('iframe');
  if (!frame) throw new Error('no frame');
  const posted: { readonly order: unknown; readonly target: string }[] = [];
  const contentWindow = {
    postMessage(order: unknown, target: string, [port]: readonly [MessagePort]) {
      posted.push({ order, target });
      port.postMessage(answer);
    },
  };
  const load = (window: object | null = contentWindow) => {
    Object.defineProperty(frame, 'contentWindow', { value: window });
    frame.dispatchEvent(new Event('load'));
  };
  return { document, frame, load, posted, renderer };
}

describe('the frame', () => {
  // Fails when the frame gets an origin: what a diagram's source makes it do could reach the page and its token.
  it('has no origin, and is hidden from people and screen readers', () => {
    const { frame } = open();
    expect(frame.getAttribute('sandbox')).toBe('allow-scripts');
    expect([frame.getAttribute('src'), frame.tabIndex, frame.ariaHidden]).toEqual(['/_page/diagram.html', -1, 'true']);
  });

  it('receives the order once it has loaded, and is removed on close', async () => {
    const { document, load, posted, renderer } = open({ svg: '<svg/>', width: 10, height: 20 });
    const drawn = renderer.draw(ORDER);
    expect(posted).toEqual([]);
    load();
    expect(await drawn).toEqual({ svg: '<svg/>', width: 10, height: 20 });
    expect(posted).toEqual([{ order: ORDER, target: '*' }]);
    renderer.close();
    expect(document.body.children).toHaveLength(0);
  });

  it('without a window fails the diagram', async () => {
    const { load, renderer } = open();
    const drawn = renderer.draw(ORDER);
    load(null);
    await expect(drawn).rejects.toThrow('the frame is gone');
  });
});

describe('an answer of the frame', () => {
  it('that is a problem is told', async () => {
    const { load, renderer } = open({ problem: 'Parse error on line 1' });
    load();
    expect(await renderer.draw(ORDER)).toEqual({ problem: 'Parse error on line 1' });
  });

  // Fails when the frame is trusted: its numbers set the size of an image on the page.
  it.each([
    ['nothing', undefined],
    ['no size', { svg: '<svg/>' }],
    ['a size that is no number', { svg: '<svg/>', width: '10', height: 20 }],
    ['a size of zero', { svg: '<svg/>', width: 0, height: 20 }],
    ['an endless size', { svg: '<svg/>', width: 10, height: Number.POSITIVE_INFINITY }],
    ['no picture', { svg: 7, width: 10, height: 20 }],
    ['a problem that is no text', { problem: { html: 'x' } }],
  ])('with %s is a problem', async (_name, answer) => {
    const { load, renderer } = open(answer);
    load();
    expect(await renderer.draw(ORDER)).toEqual({ problem: 'It could not be drawn.' });
  });
});
