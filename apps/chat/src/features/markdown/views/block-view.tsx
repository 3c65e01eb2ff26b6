import type { Token, Tokens } from 'marked';
import { memo, type ReactNode, useMemo } from 'react';
import { directionOf } from '../../../components/direction-of.ts';
import { ArtifactBlock } from '../../artifacts/artifact-block.tsx';
import { CodeView } from '../../code/code-view.tsx';
import { DiagramView } from '../../diagrams/diagram-view.tsx';
import type { Footnote } from '../state/footnotes.ts';
import type { MathToken } from '../state/math.ts';
import { readAlert } from '../state/read-alert.ts';
import { CalloutBox } from './callout-box.tsx';
import { FootnoteView } from './footnote-view.tsx';
import { Formula } from './formula.tsx';
import { Inline } from './inline-view.tsx';
import { MarkdownTable } from './table-view.tsx';

export interface BlockViewProps {
  readonly token: Token;
  /** True for the last block of a text that is still growing. */
  readonly isLive?: boolean;
}

/** A block of Markdown. The same token object is not rendered again. */
export const BlockView = memo(function BlockView({ token, isLive = false }: BlockViewProps): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <Heading token={token as Tokens.Heading} />;
    case 'paragraph':
      return (
        <p dir="auto">
          <Inline tokens={(token as Tokens.Paragraph).tokens} />
        </p>
      );
    case 'math':
      return <Formula tex={(token as MathToken).text} isBlock />;
    case 'code': {
      const { raw, text, lang } = token as Tokens.Code;
      // Until the first line ends, its language is unknown, and the language decides how the block looks.
      if (isLive && !raw.includes('\n')) return null;
      const language = lang?.split(/\s/)[0];
      if (language?.toLowerCase() === 'mermaid') return <DiagramView source={text} isLive={isLive} />;
      return (
        <ArtifactBlock code={text} language={language} isLive={isLive}>
          <CodeView code={text} language={language} isLive={isLive} />
        </ArtifactBlock>
      );
    }
    case 'blockquote':
      return <Quotation quotation={token as Tokens.Blockquote} />;
    case 'footnote':
      return <FootnoteView note={token as Footnote} />;
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <MarkdownTable table={token as Tokens.Table} isLive={isLive} />;
    case 'hr':
      return <hr />;
    case 'text': {
      const text = token as Tokens.Text;
      return (
        <p dir="auto">
          <Inline tokens={text.tokens ?? [text]} />
        </p>
      );
    }
    default:
      return <p dir="auto">{token.raw}</p>;
  }
});

/** A block quote, or an alert in GitHub's syntax. */
function Quotation({ quotation }: { readonly quotation: Tokens.Blockquote }) {
  const alert = useMemo(() => readAlert(quotation), [quotation]);
  if (alert) {
    return (
      <CalloutBox style={alert.style} text={quotation.text.replace(/^.*\n/, '')}>
        <Blocks tokens={alert.tokens} />
      </CalloutBox>
    );
  }
  return (
    <blockquote dir={directionOf(quotation.text)}>
      <Blocks tokens={quotation.tokens} />
    </blockquote>
  );
}

function Blocks({ tokens }: { readonly tokens: readonly Token[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no ID and never change places
  return tokens.map((token, index) => <BlockView key={index} token={token} />);
}

/** A heading two levels lower than in the source, because the page has its own h1 and h2. */
function Heading({ token: { depth, tokens } }: { readonly token: Tokens.Heading }) {
  const Level = `h${Math.min(depth + 2, 6)}` as 'h3' | 'h4' | 'h5' | 'h6';
  return (
    <Level dir="auto">
      <Inline tokens={tokens} />
    </Level>
  );
}

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no ID and never change places
    <Item key={index} item={item} />
  ));
  const dir = directionOf(list.items.find(({ text }) => directionOf(text) !== undefined)?.text ?? '');
  if (!list.ordered) return <ul dir={dir}>{items}</ul>;
  const start = list.start === '' ? 1 : list.start;
  // Numbers hang in the padding: it has room for the longest one.
  const digits = Math.max(2, String(start + items.length - 1).length);
  return (
    <ol dir={dir} start={start} style={{ paddingInlineStart: `calc(${digits}ch + 1em)` }}>
      {items}
    </ol>
  );
}

/** A list item. A tight item renders its text inline, without a paragraph. The same item object is not rendered again. */
const Item = memo(function Item({ item }: { readonly item: Tokens.ListItem }) {
  const isLine = ({ type }: Token) => type === 'text' || type === 'checkbox';
  const lines = item.loose ? 0 : item.tokens.findIndex((token) => !isLine(token));
  const end = lines === -1 ? item.tokens.length : lines;
  const line = item.tokens.slice(0, end).flatMap((token) => {
    return token.type === 'text' ? ((token as Tokens.Text).tokens ?? [token]) : [token];
  });
  return (
    <li className={item.task ? 'task' : undefined}>
      {line.length > 0 && (
        <bdi>
          <Inline tokens={line} />
        </bdi>
      )}
      <Blocks tokens={item.tokens.slice(end)} />
    </li>
  );
});
