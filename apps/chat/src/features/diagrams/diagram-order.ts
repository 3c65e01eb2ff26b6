/** What the page asks of the frame that draws; the answer comes by the port that goes with it. */
export interface DiagramOrder {
  readonly source: string;
  readonly isDark: boolean;
}

/** A drawn diagram: an SVG document, to be shown as a picture and never as nodes of the page. */
export interface Diagram {
  readonly svg: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** What comes back: a picture, or what is wrong with the source. */
export type DiagramAnswer = Diagram | { readonly problem: string };
