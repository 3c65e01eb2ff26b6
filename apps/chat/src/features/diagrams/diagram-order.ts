/** A request to the frame that draws diagrams; the frame answers on the message port sent with it. */
export interface DiagramOrder {
  readonly source: string;
  readonly isDark: boolean;
}

/** A drawn diagram: an SVG document, which must be shown as an image and never inserted into the page. */
export interface Diagram {
  readonly svg: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** The frame's answer: the diagram, or the error message for its source. */
export type DiagramAnswer = Diagram | { readonly problem: string };
