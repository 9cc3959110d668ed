// A failure that the reader can act on: printed as one line (and the failed tool's output), never as a stack.

export class Failure extends Error {
  /**
   * @param {string} message one line: what is wrong and what to do about it
   * @param {string} [output] what the failed tool printed
   */
  constructor(message, output = "") {
    super(message);
    this.output = output.trim();
  }
}

/** Runs a script's main function and turns its failure into a line and an exit code. */
export async function main(run) {
  try {
    process.exitCode = (await run()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    if (!(error instanceof Failure)) throw error;
    if (error.output) console.error(error.output);
    console.error(`bursar: ${error.message}`);
  }
}

/** Says what is being done, in one line. Called only when there is something to do. */
export function say(line) {
  console.log(`bursar: ${line}`);
}
