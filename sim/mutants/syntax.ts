import { createRequire } from 'node:module';
import type * as TypeScript from 'typescript';

/** Loaded by require and only when a mistake is planted: the parser costs half a second that other runs need not pay. */
let loaded: typeof TypeScript | undefined;
function typescript(): typeof TypeScript {
  loaded ??= createRequire(import.meta.url)('typescript') as typeof TypeScript;
  return loaded;
}

export function parse(text: string): TypeScript.SourceFile {
  const ts = typescript();
  return ts.createSourceFile('planted.ts', text, ts.ScriptTarget.Latest, true);
}

/** The outermost piece of syntax that begins at `position`. */
export function nodeAt(file: TypeScript.SourceFile, position: number): TypeScript.Node | undefined {
  const visit = (node: TypeScript.Node): TypeScript.Node | undefined => {
    if (node.getStart(file) === position && !typescript().isTemplateSpan(node)) return node;
    return node.pos <= position && position < node.end ? node.forEachChild(visit) : undefined;
  };
  return file.forEachChild(visit);
}

/** One part of a node, by the role it plays there. A wrapper (`await`, parentheses, `return`, `as`) is looked through. */
export function part(node: TypeScript.Node, role: string): TypeScript.Node | undefined {
  const own = ownPart(node, role);
  if (own !== undefined) return own;
  const inside = wrapped(node);
  return inside === undefined ? undefined : part(inside, role);
}

/** Where a node stands, which decides how a choice between it and something else is written. */
export function roleOf(node: TypeScript.Node): 'statement' | 'property' | 'expression' {
  const ts = typescript();
  if (ts.isStatement(node)) return 'statement';
  return ts.isObjectLiteralElement(node) ? 'property' : 'expression';
}

function wrapped(node: TypeScript.Node): TypeScript.Node | undefined {
  const ts = typescript();
  const isWrapper =
    ts.isExpressionStatement(node) ||
    ts.isReturnStatement(node) ||
    ts.isAwaitExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node);
  return isWrapper ? node.expression : undefined;
}

function ownPart(node: TypeScript.Node, role: string): TypeScript.Node | undefined {
  const ts = typescript();
  if (ts.isBinaryExpression(node))
    return inOrder(role, ['left', 'right'], [node.left, node.right]) ?? nth(operands(node), 'operand', role);
  if (ts.isConditionalExpression(node))
    return inOrder(role, BRANCHES, [node.condition, node.whenTrue, node.whenFalse]);
  if (ts.isIfStatement(node))
    return inOrder(role, BRANCHES, [node.expression, node.thenStatement, node.elseStatement]);
  if (ts.isCallExpression(node) || ts.isNewExpression(node))
    return role === 'callee' ? node.expression : nth(node.arguments ?? [], 'arg', role);
  if (ts.isPropertyAccessExpression(node)) return role === 'object' ? node.expression : undefined;
  if (ts.isArrayLiteralExpression(node)) return nth(node.elements, 'element', role);
  if (ts.isArrowFunction(node)) return role === 'body' ? node.body : undefined;
  if (ts.isObjectLiteralExpression(node))
    return nth(node.properties, 'property', role) ?? node.properties.find((p) => namesProperty(p, role));
  if (ts.isVariableStatement(node))
    return ownPart(node.declarationList.declarations[0] as TypeScript.Node, role);
  if (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node))
    return role === 'value' ? node.initializer : undefined;
  if (ts.isReturnStatement(node) || ts.isSpreadAssignment(node) || ts.isSpreadElement(node))
    return role === 'value' ? node.expression : undefined;
  return undefined;
}

/** The operands of a chain: `a && b && c` has three. */
function operands(node: TypeScript.BinaryExpression): TypeScript.Expression[] {
  const { left, right, operatorToken } = node;
  const isChain = typescript().isBinaryExpression(left) && left.operatorToken.kind === operatorToken.kind;
  return [...(isChain ? operands(left) : [left]), right];
}

const BRANCHES = ['condition', 'then', 'else'];

function inOrder(
  role: string,
  roles: readonly string[],
  nodes: readonly (TypeScript.Node | undefined)[],
): TypeScript.Node | undefined {
  return nodes[roles.indexOf(role)];
}

function nth(nodes: readonly TypeScript.Node[], stem: string, role: string): TypeScript.Node | undefined {
  return role.startsWith(stem) ? nodes[Number(role.slice(stem.length))] : undefined;
}

function namesProperty(property: TypeScript.ObjectLiteralElementLike, name: string): boolean {
  const ts = typescript();
  const { name: own } = property;
  return own !== undefined && (ts.isIdentifier(own) || ts.isStringLiteral(own)) && own.text === name;
}

/** Names that a text uses and nowhere declares or imports: globals, and mistakes. */
export function unresolvedNames(text: string): string[] {
  const ts = typescript();
  const source = parse(text);
  const host: TypeScript.CompilerHost = {
    getSourceFile: (name) => (name === source.fileName ? source : undefined),
    getDefaultLibFileName: () => '',
    writeFile: () => {},
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (name) => name === source.fileName,
    readFile: () => undefined,
  };
  const options = { noLib: true, noResolve: true, allowImportingTsExtensions: true, types: [] };
  const program = ts.createProgram([source.fileName], options, host);
  const names = program.getSemanticDiagnostics(source).flatMap(({ messageText, start = 0, length = 0 }) => {
    const isUnresolved = /^(?:Cannot find name|No value exists in scope)/.test(String(messageText));
    return isUnresolved ? [text.slice(start, start + length)] : [];
  });
  return [...new Set(names)];
}

/** Identifiers of a piece of code, property names included, without those that it declares itself as parameters. */
export function identifiersIn(code: string): string[] {
  const ts = typescript();
  const own = new Set<string>();
  const names: string[] = [];
  const visit = (node: TypeScript.Node): void => {
    if (ts.isParameter(node)) own.add(node.name.getText());
    if (ts.isIdentifier(node)) names.push(node.text);
    node.forEachChild(visit);
  };
  visit(parse(`(${code || 0})`));
  return names.filter((name) => !own.has(name));
}
