import type { Easel } from './diagram-drawer.ts';
import type { DiagramAnswer, DiagramOrder } from './diagram-order.ts';

/** Beside the page's own files. */
const FRAME_URL = '/_page/diagram.html';

/**
 * A frame of no origin, out of sight. Browsers that isolate such frames give it a process of its own, so that a diagram that
 * takes long does not hold the page up.
 */
export function openFrameEasel(): Easel {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'Diagram';
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  // Laid out, for words are measured in it, and seen by nobody.
  Object.assign(frame.style, {
    ...{ position: 'fixed', insetBlockStart: '0', insetInlineStart: '0', inlineSize: '1px', blockSize: '1px' },
    ...{ border: '0', opacity: '0', pointerEvents: 'none' },
  });
  const loaded = new Promise<Window>((resolve, reject) => {
    frame.addEventListener('load', () => {
      if (frame.contentWindow) resolve(frame.contentWindow);
      else reject(new Error('the frame is gone'));
    });
  });
  frame.src = FRAME_URL;
  document.body.append(frame);
  return {
    async draw(order: DiagramOrder) {
      const target = await loaded;
      const { port1, port2 } = new MessageChannel();
      try {
        return await new Promise<DiagramAnswer>((resolve) => {
          port1.onmessage = ({ data }) => resolve(readAnswer(data));
          // It has no origin to be named by; what is in it came from this server.
          target.postMessage(order, '*', [port2]);
        });
      } finally {
        port1.close();
      }
    },
    close: () => frame.remove(),
  };
}

/** The frame is not trusted: what comes from it is looked at. */
function readAnswer(data: unknown): DiagramAnswer {
  const { svg, width, height, problem } = (data ?? {}) as Record<string, unknown>;
  if (typeof svg === 'string' && isLength(width) && isLength(height)) return { svg, width, height };
  return { problem: typeof problem === 'string' ? problem : 'It could not be drawn.' };
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < 1e6;
}
