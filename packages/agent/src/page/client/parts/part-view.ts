import type { Part } from '@berth/contract/agent';

/** A piece of a message on the page. `update` is given parts of the type it was made for. */
export interface PartView {
  readonly node: HTMLElement;
  update(part: Part): void;
}
