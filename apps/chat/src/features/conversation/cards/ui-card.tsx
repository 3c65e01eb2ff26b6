import type { UiFrame } from '@berth/contract/agent';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { ConnectCard } from '../../connectors/connect-card.tsx';
import { MessageLink } from '../../media/message-link.tsx';
import type { Decision, ToolArgs } from '../state/chat-calls.ts';
import { useOpenChat } from '../state/open-chat-context.ts';
import { ChoicesCard } from './choices-card.tsx';
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
