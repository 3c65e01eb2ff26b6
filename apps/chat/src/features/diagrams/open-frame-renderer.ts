import type { DiagramAnswer, DiagramOrder, DiagramRenderer } from './diagram-drawer.ts';

/** The URL of the frame, which is served with the page's own files. */
const FRAME_URL = '/_page/diagram.html';

/**
 * Opens a renderer in an invisible frame without an origin. Browsers that isolate such frames run it in a separate process, so
 * that a slow diagram does not block the page.
 */
export function openFrameRenderer(): DiagramRenderer {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.title = 'Diagram';
  frame.tabIndex = -1;
  frame.ariaHidden = 'true';
  // The frame must have a layout, because the library measures text in it, but stays invisible.
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
          // A sandboxed frame has no origin to name as the target; its content comes from this server.
          target.postMessage(order, '*', [port2]);
        });
      } finally {
        port1.close();
      }
    },
    close: () => frame.remove(),
  };
}

/** Validates a message of the frame, which is not trusted. */
function readAnswer(data: unknown): DiagramAnswer {
  const { svg, width, height, problem } = (data ?? {}) as Record<string, unknown>;
  if (typeof svg === 'string' && isLength(width) && isLength(height)) return { svg, width, height };
  return { problem: typeof problem === 'string' ? problem : 'It could not be drawn.' };
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < 1e6;
}
