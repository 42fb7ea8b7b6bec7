// Runs, and never listens: nothing but asking it can tell.
const timer = setInterval(() => console.log('still warming up'), 10_000);
process.once('SIGTERM', () => clearInterval(timer));

console.log('warming up');
