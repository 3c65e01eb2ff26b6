import picocolors from 'picocolors';

type Paint = (text: string) => string;

/** Colors and signs of a stream. */
export interface Style {
  readonly hasColor: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
  readonly magenta: Paint;
  readonly signs: Signs;
}

/** Signs in front of lines; ASCII when the terminal may lack others. */
export interface Signs {
  readonly done: string;
  readonly failed: string;
  readonly warning: string;
  readonly step: string;
  readonly bar: string;
  readonly filled: string;
  readonly empty: string;
  readonly spinner: readonly string[];
  /** Bars of a chart, lowest first. */
  readonly bars: readonly string[];
}

const UNICODE: Signs = {
  done: '✓',
  failed: '✗',
  warning: '▲',
  step: '●',
  bar: '│',
  filled: '█',
  empty: '░',
  spinner: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'],
  bars: [...'▁▂▃▄▅▆▇█'],
};

const ASCII: Signs = {
  done: '+',
  failed: 'x',
  warning: '!',
  step: '*',
  bar: '|',
  filled: '#',
  empty: '.',
  spinner: [...'|/-\\'],
  bars: [...'_.-=+*#@'],
};

/** Creates a {@link Style}. */
export function createStyle(options: { readonly hasColor: boolean; readonly hasUnicode: boolean }): Style {
  const { bold, dim, red, green, yellow, cyan, magenta } = picocolors.createColors(options.hasColor);
  const signs = options.hasUnicode ? UNICODE : ASCII;
  return { hasColor: options.hasColor, bold, dim, red, green, yellow, cyan, magenta, signs };
}

/** Inputs of the decision about color; see {@link hasColor}. */
export interface ColorOptions {
  /** `--no-color`. */
  readonly isRefused: boolean;
  /** `NO_COLOR`, see no-color.org: any value but the empty one. */
  readonly noColor: string | undefined;
  /** `FORCE_COLOR`: any value but the empty one and `0`. */
  readonly forceColor: string | undefined;
  /** `TERM`. */
  readonly terminal: string | undefined;
  readonly isTty: boolean;
}

/** Returns true when output to a stream is colored. */
export function hasColor({ isRefused, noColor, forceColor, terminal, isTty }: ColorOptions): boolean {
  if (isRefused || noColor) return false;
  if (forceColor && forceColor !== '0') return true;
  return isTty && terminal !== 'dumb';
}
