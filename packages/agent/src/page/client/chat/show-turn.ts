import type { Part, UiFrame } from '@berth/contract/agent';
import type { Api } from '../api.ts';
import { element } from '../element.ts';
import { followTurn, type TurnEnd } from './follow-turn.ts';
import type { AnswerView } from './message-view.ts';

/** The page rests so many times as long as it took to show a change. */
const PAUSE_RATIO = 3;

export interface ShowTurnOptions {
  readonly api: Api;
  readonly answer: AnswerView;
  readonly chatId: string;
  /** Of the request that began the turn; without it the chat's last turn is followed. */
  readonly response: Response | undefined;
  readonly signal: AbortSignal;
  onChat(chatId: string): void;
  onUi(frame: UiFrame): void;
  /** More of it is shown. */
  onGrown(): void;
}

/** Shows a turn in `answer` while it runs; says at its end what came of it. Throws what the signal aborts with. */
export async function showTurn(
  options: ShowTurnOptions,
): Promise<{ readonly end: TurnEnd; readonly parts: readonly Part[] }> {
  const { api, answer, chatId, response, signal, onChat, onUi, onGrown } = options;
  let parts: readonly Part[] = [];
  let frame = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const paint = () => {
    const startedMs = performance.now();
    frame = 0;
    answer.show(parts);
    onGrown();
    // What takes long to show is shown less often: the page stays quick while a long answer grows.
    pause = setTimeout(
      () => {
        pause = undefined;
        if (isDue) paintSoon();
      },
      PAUSE_RATIO * (performance.now() - startedMs),
    );
  };
  /** Once a picture of the screen, however many frames come. */
  const paintSoon = () => {
    isDue = pause !== undefined;
    if (!isDue) frame ||= requestAnimationFrame(paint);
  };
  const lost = element('p', { class: 'hint', role: 'status', hidden: true }, 'The connection was lost. Trying again…');
  answer.node.append(lost);
  answer.node.setAttribute('aria-busy', 'true');
  try {
    const end = await followTurn(
      api,
      { chatId, signal, ...(response ? { response } : {}) },
      {
        onChat,
        onUi,
        onParts(next) {
          parts = next;
          lost.hidden = true;
          paintSoon();
        },
        onLost: () => {
          lost.hidden = false;
        },
      },
    );
    return { end, parts };
  } finally {
    cancelAnimationFrame(frame);
    paint();
    clearTimeout(pause);
    lost.remove();
    answer.node.removeAttribute('aria-busy');
  }
}
