import type { UiFrame } from '@berth/contract/agent';
import { Button } from '@berth/ui';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { ConnectCard } from '../../connectors/connect-card.tsx';
import { MessageLink } from '../../media/message-link.tsx';
import type { Decision, ToolArgs } from '../state/chat-calls.ts';
import { useOpenChat } from '../state/open-chat-context.ts';
import { ConfirmCard } from './confirm-card.tsx';

/** The card of a `ui` frame; nothing for an unknown action. Source: docs/contract/agent-api.md §2, `ui`. */
export function UiCard({ frame }: { readonly frame: UiFrame }) {
  const { t } = useChatTexts();
  const { conversation } = useOpenChat();
  const say = (text: string) => void conversation.send(text);
  switch (frame.action) {
    case 'confirm': {
      const decide = async (decision: Decision, args: ToolArgs | undefined) => {
        const isLast = await conversation.decide(frame, decision, args);
        if (isLast) say(decision === 'deny' ? t('message.deny') : t('message.goOn'));
      };
      return <ConfirmCard frame={frame} onDecide={decide} />;
    }
    case 'suggest': {
      const options = texts(frame['suggestions']);
      return options.length === 0 ? null : (
        <ChoicesCard label={t('card.suggestions')} options={options} onChoose={say} />
      );
    }
    case 'ask': {
      const question = String(frame['question'] ?? '');
      const options = texts(frame['options']);
      return question === '' && options.length === 0 ? null : (
        <ChoicesCard label={t('card.question')} question={question} options={options} onChoose={say} />
      );
    }
    case 'connect':
      return <ConnectCard frame={frame} onConnected={() => say(t('message.goOn'))} />;
    case 'open_canvas': {
      const name = String(frame['path'] ?? frame['src'] ?? '');
      return name === '' ? null : (
        <p className="my-3">
          <MessageLink href={name}>{t('card.open', { name })}</MessageLink>
        </p>
      );
    }
    case 'open_plan_modal':
      return (
        <p role="note" className="my-3 rounded-lg bg-warn-soft px-4 py-3">
          {t('card.plan')}
        </p>
      );
    default:
      return null;
  }
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.filter((one) => typeof one === 'string'))] : [];
}

export interface ChoicesCardProps {
  readonly label: string;
  readonly question?: string | undefined;
  readonly options: readonly string[];
  onChoose(text: string): void;
}

/** A question of the agent or its suggested replies; pressing an option sends it as a message. */
export function ChoicesCard({ label, question, options, onChoose }: ChoicesCardProps) {
  return (
    <section aria-label={label} className="my-3 flex flex-col gap-2">
      {question && <strong dir="auto">{question}</strong>}
      <div className="flex flex-wrap gap-2">
        {options.map((text) => (
          <Button
            key={text}
            dir="auto"
            className="h-auto! min-h-8 max-w-full py-1 text-start whitespace-normal!"
            onClick={() => onChoose(text)}
          >
            {text}
          </Button>
        ))}
      </div>
    </section>
  );
}
