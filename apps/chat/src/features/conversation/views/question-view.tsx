import { Button, IconButton } from '@berth/ui';
import { ChevronLeft, ChevronRight, CircleAlert, Copy, Pencil, WifiOff } from 'lucide-react';
import { type KeyboardEvent, memo, useState } from 'react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { MessageImage } from '../../media/message-image.tsx';
import { MessageLink } from '../../media/message-link.tsx';
import { type QuestionItem, questionText, UNSENT } from '../state/items.ts';
import { AttachedFile } from './attached-file.tsx';

export interface QuestionViewProps {
  readonly item: QuestionItem;
  /** Replaces the message with an edited text; given while the last question may be edited. */
  readonly onEdit?: ((text: string) => void) | undefined;
  /** Shows another version of the message. */
  readonly onVersion?: ((seq: number) => void) | undefined;
  readonly onRetry?: (() => void) | undefined;
  /** Drops a message that was not sent. */
  readonly onDiscard?: (() => void) | undefined;
}

/** A message of the person as plain text, with its attached files. */
export const QuestionView = memo(function QuestionView(props: QuestionViewProps) {
  const { item, onEdit, onVersion, onRetry, onDiscard } = props;
  const { t } = useChatTexts();
  const [isEditing, setEditing] = useState(false);
  const text = questionText(item);
  /** The person's edit of the message `of`, restored if the agent didn't accept it. */
  const [edited, setEdited] = useState<{ readonly of: string; readonly text: string } | undefined>();
  const others = typeof item.content === 'string' ? [] : item.content.filter(({ type }) => type !== 'text');
  if (isEditing && onEdit) {
    return (
      <EditForm
        text={edited?.of === text ? edited.text : text}
        onCancel={() => {
          setEditing(false);
          setEdited(undefined);
        }}
        onSend={(next) => {
          setEditing(false);
          setEdited({ of: text, text: next });
          onEdit(next);
        }}
      />
    );
  }
  return (
    <article aria-label={t('message.you')} className="group -mb-4 flex flex-col items-end gap-1">
      <div className="max-w-[85%] rounded-2xl rounded-ee-md bg-accent-soft px-4 py-2.5 text-[0.9375rem] leading-6">
        {text !== '' && (
          <p dir="auto" className="break-words whitespace-pre-wrap">
            {text}
          </p>
        )}
        {others.map((part) =>
          part.type === 'image' ? (
            <MessageImage key={part.image} src={part.image} alt={fileName(part.image)} />
          ) : part.type === 'file' ? (
            <p key={part.file}>
              <MessageLink href={part.file}>{fileName(part.file)}</MessageLink>
            </p>
          ) : null,
        )}
        {item.attachments.map((attachment) => (
          <AttachedFile key={attachment.path} attachment={attachment} />
        ))}
      </div>
      {item.isWaiting && (
        <p role="status" className="flex items-center gap-1.5 text-warn">
          <WifiOff aria-hidden className="size-4 shrink-0" />
          {t('message.waiting')}
        </p>
      )}
      {item.problem !== undefined ? (
        <UnsentNote problem={item.problem} onRetry={onRetry} onDiscard={onDiscard} />
      ) : (
        <div className="flex items-center">
          <div className="flex opacity-0 group-hover:opacity-100 group-focus-within:opacity-100 max-sm:opacity-100">
            <IconButton icon={Copy} label={t('parts.copy')} onClick={() => void navigator.clipboard.writeText(text)} />
            {onEdit && <IconButton icon={Pencil} label={t('message.edit')} onClick={() => setEditing(true)} />}
          </div>
          <VersionSwitch item={item} onVersion={onVersion} />
        </div>
      )}
    </article>
  );
});

type VersionSwitchProps = Pick<QuestionViewProps, 'item' | 'onVersion'>;

/** Switches between the versions of a message. */
function VersionSwitch({ item: { seq, versions = [] }, onVersion }: VersionSwitchProps) {
  const { t } = useChatTexts();
  if (seq === undefined || versions.length < 2) return null;
  const at = versions.indexOf(seq);
  const button = (label: string, icon: typeof ChevronLeft, to: number | undefined) => (
    <IconButton
      {...{ icon, label }}
      className="rtl:-scale-x-100"
      disabled={!onVersion || to === undefined}
      onClick={() => to !== undefined && onVersion?.(to)}
    />
  );
  return (
    <fieldset aria-label={t('versions.title')} className="flex items-center text-xs text-ink-soft">
      {button(t('versions.earlier'), ChevronLeft, versions[at - 1])}
      <span className="tabular-nums">{t('versions.count', { number: at + 1, count: versions.length })}</span>
      {button(t('versions.later'), ChevronRight, versions[at + 1])}
    </fieldset>
  );
}

interface UnsentNoteProps {
  readonly problem: string;
  readonly onRetry: (() => void) | undefined;
  readonly onDiscard: (() => void) | undefined;
}

/** Says that a message was not sent, and offers to discard it or to try again. */
function UnsentNote({ problem, onRetry, onDiscard }: UnsentNoteProps) {
  const { t } = useChatTexts();
  return (
    <div className="flex flex-col items-end gap-2">
      <p role="alert" className="flex items-start gap-1.5 text-bad">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span dir="auto">{problem === UNSENT ? t('message.unsent') : t('message.notSent', { problem })}</span>
      </p>
      <div className="flex gap-2">
        {onDiscard && <Button onClick={onDiscard}>{t('message.discard')}</Button>}
        {onRetry && (
          <Button look="primary" onClick={onRetry}>
            {t('message.retry')}
          </Button>
        )}
      </div>
    </div>
  );
}

interface EditFormProps {
  readonly text: string;
  onSend(text: string): void;
  onCancel(): void;
}

function EditForm({ text: before, onSend, onCancel }: EditFormProps) {
  const { t } = useChatTexts();
  const [text, setText] = useState(before);
  const send = () => text.trim() !== '' && onSend(text.trim());
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      onCancel();
    }
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={(field) => field?.focus()}
        aria-label={t('message.edit')}
        dir="auto"
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="w-full rounded-xl border border-line-strong bg-raised px-4 py-2.5 max-sm:text-base"
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('parts.cancel')}</Button>
        <Button type="submit" look="primary">
          {t('compose.send')}
        </Button>
      </div>
    </form>
  );
}

function fileName(path: string): string {
  return path.split('/').pop() || path;
}
