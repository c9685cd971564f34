/** With more of the samples unknown, in percent, a prediction is of the smaller part of the time, and nothing is said of the program by it. */
export const MOST_UNKNOWN_PERCENT = 50;
