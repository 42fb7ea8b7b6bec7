// A process without a port: alive is all that it can show.
let done = 0;
const timer = setInterval(() => console.log(`worked ${++done} times`), 5_000);
process.once('SIGTERM', () => clearInterval(timer));

console.log('working');
