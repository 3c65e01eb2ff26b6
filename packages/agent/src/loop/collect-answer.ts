import type { Component } from '@berth/agent-core';
import { createPartsBuilder, flattenParts } from '@berth/contract/agent';

/** True for a card that waits for the person. */
export function isQuestion(item: string | Component): item is Component {
  return typeof item === 'object' && item.type === 'ui' && (item.action === 'confirm' || item.action === 'connect');
}

/** Collects the last answer of a loop: what it said before its last calls of tools is left out. */
export function collectAnswer() {
  let answer = createPartsBuilder();
  return {
    add(item: string | Component): void {
      if (typeof item === 'string') {
        answer.add({ type: 'text', text: item });
        return;
      }
      if (item.type === 'step') {
        if (item.parent === undefined) answer = createPartsBuilder();
      } else if (item.type !== 'ui' && item.type !== 'step_arg' && item.type !== 'thinking' && item.type !== 'status') {
        answer.add(item);
      }
    },
    /** The answer as Markdown. */
    text: () => flattenParts(answer.parts),
  };
}
