import pc from 'picocolors';
import { QUESTIONS, sevenAnswers } from '../contract/presentation/seven-answers.ts';
import type { Model } from '../model/model.ts';

const WIDTH = 96;
const INDENT = '    ';

/** The model for a terminal: the seven answers of every state. The rest is in `-o json` and in the page. */
export function modelText(model: Model): string {
  return model.states
    .map((state) => {
      const answers = sevenAnswers(model, state);
      const lines = QUESTIONS.map((question) => `  ${pc.dim(question)}\n${wrap(plain(answers[question]))}`);
      return [`${pc.bold(state.state)}  ${plain(state.meaning)}`, ...lines].join('\n');
    })
    .join('\n\n');
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

function wrap(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > WIDTH - INDENT.length) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].map((l) => INDENT + l).join('\n');
}
