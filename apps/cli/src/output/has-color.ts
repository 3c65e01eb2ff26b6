/** What decides about color; see {@link hasColor}. */
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
