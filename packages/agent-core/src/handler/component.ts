import type { ComponentFrame, UiFrame } from '@berth/contract/agent';

/** What a handler may yield besides text. Made by hand or with the functions of `components.ts`. */
export type Component = ComponentFrame | UiFrame;

/** What a handler yields: text, or a component. Empty text and nothing are dropped. */
export type HandlerItem = string | Component | undefined | null;
