import { MUTANTS, plant } from './src/sim/mutants.ts';
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
const [from, n, ...names] = process.argv.slice(2);
const list = names[0] === 'new' ? MUTANTS.slice(MUTANTS.findIndex(m => m.name === 'always no worker online'), -1) : MUTANTS.filter(m => names.includes(m.name));
const files: [string,string][] = [];
for (const m of list) {
  const out = `dist/hunt/${m.name.replace(/\W+/g,'-')}.mjs`;
  await build({ entryPoints:['src/sim/main.ts'], outfile: out, bundle:true, platform:'node', format:'esm', target:'node20', packages:'external', logLevel:'error',
    plugins:[{name:'m', setup(p){ p.onLoad({filter:/\.ts$/}, ({path})=> path===process.cwd()+'/'+m.file ? {contents: plant(m, readFileSync(path,'utf8')), loader:'ts'} : undefined); }}]});
  files.push([m.name,out]);
}
console.log('bundled');
for (const [name,out] of files) {
  const r = spawnSync(process.execPath,[out,'--schedules',n,'--seed',from,'--jobs','1','--json'],{encoding:'utf8',maxBuffer:1e8});
  try { const t = JSON.parse(r.stdout); console.log(name.padEnd(45), t.violation===null?`SURVIVED ${t.schedules}`:`${t.violation.invariant} after ${t.schedules} :: ${t.violation.detail.slice(0,170)}`, Math.round(t.ms/t.schedules)+'ms'); } catch { console.log(name, 'NO TALLY', r.stderr.slice(-400)); }
}
