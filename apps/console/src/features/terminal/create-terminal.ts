import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal as Xterm } from '@xterm/xterm';
import { allowStyles } from './allow-styles.ts';

export interface TerminalOptions {
  /** Accessible name of the input. */
  readonly label: string;
  /** ID of the element that tells how to use the keyboard. */
  readonly hintId: string;
  /** Told to screen readers when there is too much output to read. */
  readonly tooMuchOutput: string;
  onInput(input: Uint8Array<ArrayBuffer>): void;
  onResize(size: { readonly columns: number; readonly rows: number }): void;
  /** Called when the person leaves the terminal by the keyboard. */
  onLeave(): void;
}

/** A terminal in the document. */
export interface Terminal {
  readonly size: { readonly columns: number; readonly rows: number };
  /** Prints output, and calls `done` once it is shown. */
  print(output: Uint8Array, done: () => void): void;
  /** Empties the screen and takes input, or doesn't any longer. */
  setLive(isLive: boolean): void;
  close(): void;
}

const FONT_PX = 13;
/** Colors of programs are adjusted until they can be read (WCAG 2.2, 1.4.3). */
const CONTRAST_RATIO = 4.5;
const SCROLLBACK_ROWS = 5_000;

/** Creates a terminal that fills `host` and has the colors of the page's theme. */
export function createTerminal(host: HTMLElement, options: TerminalOptions): Terminal {
  const { label, hintId, tooMuchOutput, onInput, onResize, onLeave } = options;
  const refuseStyles = allowStyles(document);
  Xterm.strings.promptLabel = label;
  Xterm.strings.tooMuchOutput = tooMuchOutput;
  const terminal = new Xterm({
    fontFamily: getComputedStyle(host).fontFamily,
    fontSize: FONT_PX,
    minimumContrastRatio: CONTRAST_RATIO,
    scrollback: SCROLLBACK_ROWS,
    screenReaderMode: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    disableStdin: true,
    theme: readTheme(host),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(host);
  terminal.textarea?.setAttribute('aria-describedby', hintId);
  const refit = () => {
    // A hidden panel has no size.
    if (host.clientWidth > 0) fit.fit();
  };
  refit();
  // Its cells are measured again with the font, which is loaded with the first text in it.
  void document.fonts.load(`${FONT_PX}px ${terminal.options.fontFamily}`).then(() => {
    terminal.options.fontFamily = `${terminal.options.fontFamily}, monospace`;
    refit();
  });
  const encoder = new TextEncoder();
  terminal.onData((text) => onInput(encoder.encode(text)));
  terminal.onBinary((bytes) => onInput(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
  terminal.onResize(({ cols, rows }) => onResize({ columns: cols, rows }));
  terminal.attachCustomKeyEventHandler((event) => handleKey(event, terminal, onLeave));
  const resizes = new ResizeObserver(refit);
  resizes.observe(host);
  const recolor = () => {
    terminal.options.theme = readTheme(host);
  };
  const themes = new MutationObserver(recolor);
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', recolor);
  return {
    get size() {
      return { columns: terminal.cols, rows: terminal.rows };
    },
    print: (output, done) => terminal.write(output, done),
    setLive(isLive) {
      if (isLive) terminal.reset();
      terminal.options.disableStdin = !isLive;
      if (isLive) terminal.focus();
    },
    close() {
      resizes.disconnect();
      themes.disconnect();
      scheme.removeEventListener('change', recolor);
      terminal.dispose();
      refuseStyles();
    },
  };
}

/** Copies, pastes and leaves by the keyboard. Returns false for a key that the program doesn't get. */
export function handleKey(
  event: KeyboardEvent,
  terminal: Pick<Xterm, 'getSelection' | 'hasSelection' | 'clearSelection'>,
  onLeave: () => void,
): boolean {
  const { type, key, ctrlKey, altKey, metaKey } = event;
  if (!ctrlKey || altKey || metaKey) return true;
  const letter = key.toLowerCase();
  if (key === 'F6') {
    if (type === 'keydown') onLeave();
    return false;
  }
  // The browser pastes.
  if (letter === 'v') return false;
  const isCopy = letter === 'c' && (event.shiftKey || terminal.hasSelection());
  // Without a selection, Ctrl+C interrupts the program.
  if (!isCopy) return true;
  event.preventDefault();
  if (type === 'keydown' && terminal.hasSelection()) {
    void navigator.clipboard.writeText(terminal.getSelection());
    terminal.clearSelection();
  }
  return false;
}

/** Reads the theme's colors. A token may be a CSS function of the color scheme, which an element resolves. */
function readTheme(host: HTMLElement) {
  const probe = host.appendChild(document.createElement('span'));
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const [background, foreground, selectionBackground, slider] = [
    '--raised',
    '--ink',
    '--accent-soft',
    '--line-strong',
  ].map(read);
  probe.remove();
  return {
    ...{ background, foreground, cursor: foreground, cursorAccent: background, selectionBackground },
    ...{
      scrollbarSliderBackground: slider,
      scrollbarSliderHoverBackground: slider,
      scrollbarSliderActiveBackground: slider,
    },
  } as Record<string, string>;
}
