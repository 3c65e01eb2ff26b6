import type { UiFrame } from '@berth/contract/agent';
import { Button } from '@berth/ui';
import { useState } from 'react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { ConnectCard } from '../../connectors/connect-card.tsx';
import { MessageLink } from '../../media/message-link.tsx';
import { useOpenChat } from '../state/open-chat-context.ts';
import { ConfirmCard } from './confirm-card.tsx';

/** The card of a `ui` frame; nothing for an unknown action. Source: docs/contract/agent-api.md §2, `ui`. */
export function UiCard({ frame }: { readonly frame: UiFrame }) {
  const { t } = useChatTexts();
  const { conversation } = useOpenChat();
  const say = (text: string) => void conversation.send(text);
  switch (frame.action) {
    case 'confirm':
      return <ConfirmCard frame={frame} onDecide={(decision, args) => conversation.decide(frame, decision, args)} />;
    case 'suggest': {
      const options = texts([frame['text'], ...listOf(frame['suggestions'])]);
      return options.length === 0 ? null : (
        <ChoicesCard label={t('card.suggestions')} options={options} onChoose={say} />
      );
    }
    case 'ask': {
      const questions = questionsOf(frame);
      return questions.length === 0 ? null : (
        <AskCard label={t('card.question')} questions={questions} onAnswer={say} />
      );
    }
    case 'connect':
      return (
        <ConnectCard
          frame={frame}
          onConnected={() => conversation.continueConnected(frame)}
          onContinue={() => say(t('message.goOn'))}
        />
      );
    case 'open_canvas': {
      const path = String(frame['path'] ?? frame['src'] ?? '');
      return path === '' ? null : (
        <p className="my-3">
          <MessageLink href={path}>{t('card.open', { name: String(frame['name'] ?? path) })}</MessageLink>
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: unknown): readonly string[] {
  return [...new Set(listOf(value).filter((one) => typeof one === 'string'))];
}

/** A question of an `ask` frame. */
interface Question {
  readonly question: string;
  readonly header?: string | undefined;
  readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
  readonly isMultiple: boolean;
}

/** Returns the questions of a frame; a frame of another agent may have a single one, and options that are text. */
function questionsOf(frame: UiFrame): readonly Question[] {
  const given = listOf(frame['questions']);
  return (given.length > 0 ? given : [frame])
    .map((one): Question => {
      const { question, header, options, multi_select } = one as Record<string, unknown>;
      return {
        question: String(question ?? ''),
        header: typeof header === 'string' ? header : undefined,
        options: listOf(options).map((option) => {
          const { label, description } = typeof option === 'string' ? { label: option } : (option as Labelled);
          return { label: String(label ?? ''), description };
        }),
        isMultiple: multi_select === true,
      };
    })
    .filter(({ question, options }) => question !== '' || options.length > 0);
}

interface Labelled {
  readonly label?: unknown;
  readonly description?: string;
}

interface AskCardProps {
  readonly label: string;
  readonly questions: readonly Question[];
  onAnswer(text: string): void;
}

/** Questions of the agent. One with one answer is answered by pressing it; others are sent together. */
export function AskCard({ label, questions, onAnswer }: AskCardProps) {
  const { t } = useChatTexts();
  const [chosen, setChosen] = useState<readonly (readonly string[])[]>([]);
  const [only] = questions;
  const isSimple = questions.length === 1 && only?.isMultiple === false;
  const choose = (index: number, option: string) => {
    if (isSimple) return onAnswer(option);
    const before = chosen[index] ?? [];
    const others = questions[index]?.isMultiple ? before.filter((one) => one !== option) : [];
    const now = before.includes(option) ? others : [...others, option];
    setChosen(questions.map((_question, at) => (at === index ? now : (chosen[at] ?? []))));
  };
  const send = () => {
    const answers = questions.flatMap(({ question }, index) => {
      const said = (chosen[index] ?? []).join(', ');
      return said === '' ? [] : [questions.length === 1 ? said : `${question} ${said}`];
    });
    onAnswer(answers.join('\n'));
  };
  return (
    <section aria-label={label} className="my-3 flex flex-col gap-3">
      {questions.map(({ question, header, options }, index) => (
        <div key={question} className="flex flex-col gap-2">
          {header !== undefined && (
            <span dir="auto" className="text-xs text-ink-soft">
              {header}
            </span>
          )}
          {question !== '' && <strong dir="auto">{question}</strong>}
          <div className="flex flex-wrap gap-2">
            {options.map((option) => (
              <Button
                key={option.label}
                dir="auto"
                title={option.description}
                aria-pressed={isSimple ? undefined : chosen[index]?.includes(option.label) === true}
                look={chosen[index]?.includes(option.label) ? 'primary' : 'secondary'}
                className="h-auto! min-h-8 max-w-full py-1 text-start whitespace-normal!"
                onClick={() => choose(index, option.label)}
              >
                {option.label}
              </Button>
            ))}
          </div>
        </div>
      ))}
      {!isSimple && (
        <Button look="primary" disabled={chosen.every((one) => one.length === 0)} onClick={send}>
          {t('compose.send')}
        </Button>
      )}
    </section>
  );
}

export interface ChoicesCardProps {
  readonly label: string;
  readonly options: readonly string[];
  onChoose(text: string): void;
}

/** Replies that the agent suggests; pressing one sends it as a message. */
export function ChoicesCard({ label, options, onChoose }: ChoicesCardProps) {
  return (
    <section aria-label={label} className="my-3 flex flex-col gap-2">
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
