import type { ComponentFrame, UiFrame } from '@berth/contract/agent';

/** A component that a handler may yield besides text, as an object or from a function such as `callout()`. */
export type Component = ComponentFrame | UiFrame;

/** What a handler yields: text or a component. Empty text, undefined and null are dropped. */
export type HandlerItem = string | Component | undefined | null;
