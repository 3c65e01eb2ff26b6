import { DirectionProvider } from '@base-ui/react/direction-provider';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { createFormats, type Formats } from './formats.ts';
import { directionOf, type Language } from './languages.ts';
import { formatMessage, type Message, type Messages, type MessageValues } from './messages.ts';
import { PART_TEXTS, type PartMessages } from './part-texts.ts';

/** Texts and formats of the language that is spoken now. */
export interface Texts<Source extends Messages> {
  readonly language: Language;
  readonly direction: 'ltr' | 'rtl';
  readonly formats: Formats;
  t(key: keyof Source & string, values?: MessageValues): string;
}

const TextContext = createContext<Texts<Messages> | undefined>(undefined);

export interface TextProviderProps {
  readonly language: Language;
  /** The page's own texts; those of the shared parts are added. */
  readonly messages: Messages;
  readonly children: ReactNode;
}

/** Gives what is inside its texts, and the document its language and direction. */
export function TextProvider({ language, messages, children }: TextProviderProps) {
  const texts = useMemo<Texts<Messages>>(() => {
    const all: Messages = { ...PART_TEXTS[language], ...messages };
    return {
      language,
      direction: directionOf(language),
      formats: createFormats(language),
      t: (key, values) => formatMessage(all[key] as Message, language, values),
    };
  }, [language, messages]);
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = texts.direction;
  }, [language, texts.direction]);
  return (
    <TextContext value={texts}>
      <DirectionProvider direction={texts.direction}>{children}</DirectionProvider>
    </TextContext>
  );
}

/** A page makes its own hook of this, with the type of its texts. */
export function useTexts<Source extends Messages>(): Texts<Source & PartMessages> {
  const texts = useContext(TextContext);
  if (!texts) throw new Error('useTexts outside of TextProvider');
  return texts as Texts<Source & PartMessages>;
}
