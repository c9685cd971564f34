import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs with one known fault each, and their twins without it, for `assay lab problems`: java ProblemsLab CAUSE bad|good MILLISECONDS. Work is done in methods that
 * are called again and again, so that the fault and nothing else tells a pair apart.
 */
public final class ProblemsLab {
	private static volatile int sink;
	private static long deadlineNs;

	private ProblemsLab() {}

	public static void main(String[] arguments) throws Throwable {
		boolean isBad = arguments[1].equals("bad");
		deadlineNs = System.nanoTime() + Long.parseLong(arguments[2]) * 1_000_000L;
		switch (arguments[0]) {
			case "large-callee" -> LargeCallee.run(isBad);
			case "megamorphic" -> Megamorphic.run(isBad);
			case "storm" -> Storm.run(isBad);
			case "huge-method" -> HugeMethod.run(isBad);
			case "osr-only" -> OsrOnly.run(isBad);
			case "no-poll" -> NoPoll.run(isBad);
			case "excluded", "plain" -> Plain.run();
			case "bailout" -> SlowCompilation.run(isBad);
			case "slow-compilation" -> SlowCompilation.run(isBad);
			case "code-cache" -> ManyMethods.run(isBad);
			case "division" -> Division.run(isBad);
			case "scalar-loop" -> Scalar.run(isBad);
			case "exceptions" -> Exceptional.run(isBad);
			case "recursion" -> Recursion.run(isBad);
			case "allocation" -> Allocation.run(isBad);
			case "contention" -> Contention.run(isBad);
			case "class-loading" -> Loading.run(isBad);
			case "compile-queue" -> Queue.run(isBad);
			case "scattered" -> Scattered.run(isBad);
			default -> throw new IllegalArgumentException(arguments[0]);
		}
	}

	static boolean goesOn() {
		return System.nanoTime() < deadlineNs;
	}

	static final class LargeCallee {
		static void run(boolean isBad) {
			while (goesOn()) {
				sink += isBad ? large(1 << 16) : small(1 << 16);
			}
		}

		static int large(int count) {
			int sum = 0;
			for (int i = 0; i < count; i++) {
				sum += Copied.large(i);
			}
			return sum;
		}

		static int small(int count) {
			int sum = 0;
			for (int i = 0; i < count; i++) {
				sum += mixSmall(i);
			}
			return sum;
		}

		static int mixSmall(int x) {
			return x * 31 + (x >>> 7) ^ x << 3;
		}
	}

	static final class Megamorphic {
		interface Shape {
			int area(int scale);
		}

		record Square(int side) implements Shape {
			public int area(int scale) {
				return side * side * scale;
			}
		}

		record Strip(int length) implements Shape {
			public int area(int scale) {
				return length * scale;
			}
		}

		record Cross(int arm) implements Shape {
			public int area(int scale) {
				return 4 * arm * scale + 1;
			}
		}

		record Frame(int outer) implements Shape {
			public int area(int scale) {
				return (outer * outer - 1) * scale;
			}
		}

		static void run(boolean isBad) {
			Shape[] shapes = new Shape[4096];
			for (int i = 0; i < shapes.length; i++) {
				shapes[i] = switch (isBad ? i * 31 % 4 : 0) {
					case 0 -> new Square(i);
					case 1 -> new Strip(i);
					case 2 -> new Cross(i);
					default -> new Frame(i);
				};
			}
			while (goesOn()) {
				sink += total(shapes);
			}
		}

		static int total(Shape[] shapes) {
			int sum = 0;
			for (int round = 0; round < 16; round++) {
				for (Shape shape : shapes) {
					sum += shape.area(round);
				}
			}
			return sum;
		}
	}

	/** Ways that were never taken are left out of the code; here they are taken one after the other, each after the code was compiled again. */
	static final class Storm {
		static void run(boolean isBad) {
			int way = 0;
			while (goesOn()) {
				long until = System.nanoTime() + 40_000_000L;
				while (System.nanoTime() < until) {
					sink += work(isBad ? way : sink & 63, 1 << 12);
				}
				way = Math.min(way + 1, 63);
			}
		}

		static int work(int way, int count) {
			int x = way;
			for (int i = 0; i < count; i++) {
				if (way == 0) {
					x = x * 31 + (x >>> 1);
				} else if (way == 1) {
					x = x * 33 + (x >>> 2);
				} else if (way == 2) {
					x = x * 35 + (x >>> 3);
				} else if (way == 3) {
					x = x * 37 + (x >>> 4);
				} else if (way == 4) {
					x = x * 39 + (x >>> 5);
				} else if (way == 5) {
					x = x * 41 + (x >>> 6);
				} else if (way == 6) {
					x = x * 43 + (x >>> 7);
				} else if (way == 7) {
					x = x * 45 + (x >>> 8);
				} else if (way == 8) {
					x = x * 47 + (x >>> 9);
				} else if (way == 9) {
					x = x * 49 + (x >>> 10);
				} else if (way == 10) {
					x = x * 51 + (x >>> 11);
				} else if (way == 11) {
					x = x * 53 + (x >>> 12);
				} else if (way == 12) {
					x = x * 55 + (x >>> 13);
				} else if (way == 13) {
					x = x * 57 + (x >>> 14);
				} else if (way == 14) {
					x = x * 59 + (x >>> 15);
				} else if (way == 15) {
					x = x * 61 + (x >>> 16);
				} else if (way == 16) {
					x = x * 63 + (x >>> 17);
				} else if (way == 17) {
					x = x * 65 + (x >>> 18);
				} else if (way == 18) {
					x = x * 67 + (x >>> 19);
				} else if (way == 19) {
					x = x * 69 + (x >>> 20);
				} else if (way == 20) {
					x = x * 71 + (x >>> 21);
				} else if (way == 21) {
					x = x * 73 + (x >>> 22);
				} else if (way == 22) {
					x = x * 75 + (x >>> 23);
				} else if (way == 23) {
					x = x * 77 + (x >>> 24);
				} else if (way == 24) {
					x = x * 79 + (x >>> 25);
				} else if (way == 25) {
					x = x * 81 + (x >>> 26);
				} else if (way == 26) {
					x = x * 83 + (x >>> 27);
				} else if (way == 27) {
					x = x * 85 + (x >>> 28);
				} else if (way == 28) {
					x = x * 87 + (x >>> 29);
				} else if (way == 29) {
					x = x * 89 + (x >>> 1);
				} else if (way == 30) {
					x = x * 91 + (x >>> 2);
				} else if (way == 31) {
					x = x * 93 + (x >>> 3);
				} else if (way == 32) {
					x = x * 95 + (x >>> 4);
				} else if (way == 33) {
					x = x * 97 + (x >>> 5);
				} else if (way == 34) {
					x = x * 99 + (x >>> 6);
				} else if (way == 35) {
					x = x * 101 + (x >>> 7);
				} else if (way == 36) {
					x = x * 103 + (x >>> 8);
				} else if (way == 37) {
					x = x * 105 + (x >>> 9);
				} else if (way == 38) {
					x = x * 107 + (x >>> 10);
				} else if (way == 39) {
					x = x * 109 + (x >>> 11);
				} else if (way == 40) {
					x = x * 111 + (x >>> 12);
				} else if (way == 41) {
					x = x * 113 + (x >>> 13);
				} else if (way == 42) {
					x = x * 115 + (x >>> 14);
				} else if (way == 43) {
					x = x * 117 + (x >>> 15);
				} else if (way == 44) {
					x = x * 119 + (x >>> 16);
				} else if (way == 45) {
					x = x * 121 + (x >>> 17);
				} else if (way == 46) {
					x = x * 123 + (x >>> 18);
				} else if (way == 47) {
					x = x * 125 + (x >>> 19);
				} else if (way == 48) {
					x = x * 127 + (x >>> 20);
				} else if (way == 49) {
					x = x * 129 + (x >>> 21);
				} else if (way == 50) {
					x = x * 131 + (x >>> 22);
				} else if (way == 51) {
					x = x * 133 + (x >>> 23);
				} else if (way == 52) {
					x = x * 135 + (x >>> 24);
				} else if (way == 53) {
					x = x * 137 + (x >>> 25);
				} else if (way == 54) {
					x = x * 139 + (x >>> 26);
				} else if (way == 55) {
					x = x * 141 + (x >>> 27);
				} else if (way == 56) {
					x = x * 143 + (x >>> 28);
				} else if (way == 57) {
					x = x * 145 + (x >>> 29);
				} else if (way == 58) {
					x = x * 147 + (x >>> 1);
				} else if (way == 59) {
					x = x * 149 + (x >>> 2);
				} else if (way == 60) {
					x = x * 151 + (x >>> 3);
				} else if (way == 61) {
					x = x * 153 + (x >>> 4);
				} else if (way == 62) {
					x = x * 155 + (x >>> 5);
				} else if (way == 63) {
					x = x * 157 + (x >>> 6);
				}
			}
			return x;
		}
	}

	static final class HugeMethod {
		static void run(boolean isBad) {
			while (goesOn()) {
				sink += batch(isBad);
			}
		}

		static int batch(boolean isBad) {
			int sum = 0;
			for (int i = 0; i < 64; i++) {
				sum += isBad ? huge(i) : split(i);
			}
			return sum;
		}

		/** More than 8000 bytecodes. */
		static int huge(int x) {
			x = x * 31 + (x >>> 1); x = x * 33 + (x >>> 2); x = x * 35 + (x >>> 3); x = x * 37 + (x >>> 4); x = x * 39 + (x >>> 5); x = x * 41 + (x >>> 6); x = x * 43 + (x >>> 7); x = x * 45 + (x >>> 8); x = x * 47 + (x >>> 9); x = x * 49 + (x >>> 10); x = x * 51 + (x >>> 11); x = x * 53 + (x >>> 12); x = x * 55 + (x >>> 13); x = x * 57 + (x >>> 14); x = x * 59 + (x >>> 15); x = x * 61 + (x >>> 16); x = x * 63 + (x >>> 17); x = x * 65 + (x >>> 18); x = x * 67 + (x >>> 19); x = x * 69 + (x >>> 20); x = x * 71 + (x >>> 21); x = x * 73 + (x >>> 22); x = x * 75 + (x >>> 23); x = x * 77 + (x >>> 24);
			x = x * 79 + (x >>> 25); x = x * 81 + (x >>> 26); x = x * 83 + (x >>> 27); x = x * 85 + (x >>> 28); x = x * 87 + (x >>> 29); x = x * 89 + (x >>> 1); x = x * 91 + (x >>> 2); x = x * 93 + (x >>> 3); x = x * 95 + (x >>> 4); x = x * 97 + (x >>> 5); x = x * 99 + (x >>> 6); x = x * 101 + (x >>> 7); x = x * 103 + (x >>> 8); x = x * 105 + (x >>> 9); x = x * 107 + (x >>> 10); x = x * 109 + (x >>> 11); x = x * 111 + (x >>> 12); x = x * 113 + (x >>> 13); x = x * 115 + (x >>> 14); x = x * 117 + (x >>> 15); x = x * 119 + (x >>> 16); x = x * 121 + (x >>> 17); x = x * 123 + (x >>> 18); x = x * 125 + (x >>> 19);
			x = x * 127 + (x >>> 20); x = x * 129 + (x >>> 21); x = x * 131 + (x >>> 22); x = x * 133 + (x >>> 23); x = x * 135 + (x >>> 24); x = x * 137 + (x >>> 25); x = x * 139 + (x >>> 26); x = x * 141 + (x >>> 27); x = x * 143 + (x >>> 28); x = x * 145 + (x >>> 29); x = x * 147 + (x >>> 1); x = x * 149 + (x >>> 2); x = x * 151 + (x >>> 3); x = x * 153 + (x >>> 4); x = x * 155 + (x >>> 5); x = x * 157 + (x >>> 6); x = x * 159 + (x >>> 7); x = x * 161 + (x >>> 8); x = x * 163 + (x >>> 9); x = x * 165 + (x >>> 10); x = x * 167 + (x >>> 11); x = x * 169 + (x >>> 12); x = x * 171 + (x >>> 13); x = x * 173 + (x >>> 14);
			x = x * 175 + (x >>> 15); x = x * 177 + (x >>> 16); x = x * 179 + (x >>> 17); x = x * 181 + (x >>> 18); x = x * 183 + (x >>> 19); x = x * 185 + (x >>> 20); x = x * 187 + (x >>> 21); x = x * 189 + (x >>> 22); x = x * 191 + (x >>> 23); x = x * 193 + (x >>> 24); x = x * 195 + (x >>> 25); x = x * 197 + (x >>> 26); x = x * 199 + (x >>> 27); x = x * 201 + (x >>> 28); x = x * 203 + (x >>> 29); x = x * 205 + (x >>> 1); x = x * 207 + (x >>> 2); x = x * 209 + (x >>> 3); x = x * 211 + (x >>> 4); x = x * 213 + (x >>> 5); x = x * 215 + (x >>> 6); x = x * 217 + (x >>> 7); x = x * 219 + (x >>> 8); x = x * 221 + (x >>> 9);
			x = x * 223 + (x >>> 10); x = x * 225 + (x >>> 11); x = x * 227 + (x >>> 12); x = x * 229 + (x >>> 13); x = x * 231 + (x >>> 14); x = x * 233 + (x >>> 15); x = x * 235 + (x >>> 16); x = x * 237 + (x >>> 17); x = x * 239 + (x >>> 18); x = x * 241 + (x >>> 19); x = x * 243 + (x >>> 20); x = x * 245 + (x >>> 21); x = x * 247 + (x >>> 22); x = x * 249 + (x >>> 23); x = x * 251 + (x >>> 24); x = x * 253 + (x >>> 25); x = x * 255 + (x >>> 26); x = x * 257 + (x >>> 27); x = x * 259 + (x >>> 28); x = x * 261 + (x >>> 29); x = x * 263 + (x >>> 1); x = x * 265 + (x >>> 2); x = x * 267 + (x >>> 3); x = x * 269 + (x >>> 4);
			x = x * 271 + (x >>> 5); x = x * 273 + (x >>> 6); x = x * 275 + (x >>> 7); x = x * 277 + (x >>> 8); x = x * 279 + (x >>> 9); x = x * 281 + (x >>> 10); x = x * 283 + (x >>> 11); x = x * 285 + (x >>> 12); x = x * 287 + (x >>> 13); x = x * 289 + (x >>> 14); x = x * 291 + (x >>> 15); x = x * 293 + (x >>> 16); x = x * 295 + (x >>> 17); x = x * 297 + (x >>> 18); x = x * 299 + (x >>> 19); x = x * 301 + (x >>> 20); x = x * 303 + (x >>> 21); x = x * 305 + (x >>> 22); x = x * 307 + (x >>> 23); x = x * 309 + (x >>> 24); x = x * 311 + (x >>> 25); x = x * 313 + (x >>> 26); x = x * 315 + (x >>> 27); x = x * 317 + (x >>> 28);
			x = x * 319 + (x >>> 29); x = x * 321 + (x >>> 1); x = x * 323 + (x >>> 2); x = x * 325 + (x >>> 3); x = x * 327 + (x >>> 4); x = x * 329 + (x >>> 5); x = x * 331 + (x >>> 6); x = x * 333 + (x >>> 7); x = x * 335 + (x >>> 8); x = x * 337 + (x >>> 9); x = x * 339 + (x >>> 10); x = x * 341 + (x >>> 11); x = x * 343 + (x >>> 12); x = x * 345 + (x >>> 13); x = x * 347 + (x >>> 14); x = x * 349 + (x >>> 15); x = x * 351 + (x >>> 16); x = x * 353 + (x >>> 17); x = x * 355 + (x >>> 18); x = x * 357 + (x >>> 19); x = x * 359 + (x >>> 20); x = x * 361 + (x >>> 21); x = x * 363 + (x >>> 22); x = x * 365 + (x >>> 23);
			x = x * 367 + (x >>> 24); x = x * 369 + (x >>> 25); x = x * 371 + (x >>> 26); x = x * 373 + (x >>> 27); x = x * 375 + (x >>> 28); x = x * 377 + (x >>> 29); x = x * 379 + (x >>> 1); x = x * 381 + (x >>> 2); x = x * 383 + (x >>> 3); x = x * 385 + (x >>> 4); x = x * 387 + (x >>> 5); x = x * 389 + (x >>> 6); x = x * 391 + (x >>> 7); x = x * 393 + (x >>> 8); x = x * 395 + (x >>> 9); x = x * 397 + (x >>> 10); x = x * 399 + (x >>> 11); x = x * 401 + (x >>> 12); x = x * 403 + (x >>> 13); x = x * 405 + (x >>> 14); x = x * 407 + (x >>> 15); x = x * 409 + (x >>> 16); x = x * 411 + (x >>> 17); x = x * 413 + (x >>> 18);
			x = x * 415 + (x >>> 19); x = x * 417 + (x >>> 20); x = x * 419 + (x >>> 21); x = x * 421 + (x >>> 22); x = x * 423 + (x >>> 23); x = x * 425 + (x >>> 24); x = x * 427 + (x >>> 25); x = x * 429 + (x >>> 26); x = x * 431 + (x >>> 27); x = x * 433 + (x >>> 28); x = x * 435 + (x >>> 29); x = x * 437 + (x >>> 1); x = x * 439 + (x >>> 2); x = x * 441 + (x >>> 3); x = x * 443 + (x >>> 4); x = x * 445 + (x >>> 5); x = x * 447 + (x >>> 6); x = x * 449 + (x >>> 7); x = x * 451 + (x >>> 8); x = x * 453 + (x >>> 9); x = x * 455 + (x >>> 10); x = x * 457 + (x >>> 11); x = x * 459 + (x >>> 12); x = x * 461 + (x >>> 13);
			x = x * 463 + (x >>> 14); x = x * 465 + (x >>> 15); x = x * 467 + (x >>> 16); x = x * 469 + (x >>> 17); x = x * 471 + (x >>> 18); x = x * 473 + (x >>> 19); x = x * 475 + (x >>> 20); x = x * 477 + (x >>> 21); x = x * 479 + (x >>> 22); x = x * 481 + (x >>> 23); x = x * 483 + (x >>> 24); x = x * 485 + (x >>> 25); x = x * 487 + (x >>> 26); x = x * 489 + (x >>> 27); x = x * 491 + (x >>> 28); x = x * 493 + (x >>> 29); x = x * 495 + (x >>> 1); x = x * 497 + (x >>> 2); x = x * 499 + (x >>> 3); x = x * 501 + (x >>> 4); x = x * 503 + (x >>> 5); x = x * 505 + (x >>> 6); x = x * 507 + (x >>> 7); x = x * 509 + (x >>> 8);
			x = x * 511 + (x >>> 9); x = x * 513 + (x >>> 10); x = x * 515 + (x >>> 11); x = x * 517 + (x >>> 12); x = x * 519 + (x >>> 13); x = x * 521 + (x >>> 14); x = x * 523 + (x >>> 15); x = x * 525 + (x >>> 16); x = x * 527 + (x >>> 17); x = x * 529 + (x >>> 18); x = x * 531 + (x >>> 19); x = x * 533 + (x >>> 20); x = x * 535 + (x >>> 21); x = x * 537 + (x >>> 22); x = x * 539 + (x >>> 23); x = x * 541 + (x >>> 24); x = x * 543 + (x >>> 25); x = x * 545 + (x >>> 26); x = x * 547 + (x >>> 27); x = x * 549 + (x >>> 28); x = x * 551 + (x >>> 29); x = x * 553 + (x >>> 1); x = x * 555 + (x >>> 2); x = x * 557 + (x >>> 3);
			x = x * 559 + (x >>> 4); x = x * 561 + (x >>> 5); x = x * 563 + (x >>> 6); x = x * 565 + (x >>> 7); x = x * 567 + (x >>> 8); x = x * 569 + (x >>> 9); x = x * 571 + (x >>> 10); x = x * 573 + (x >>> 11); x = x * 575 + (x >>> 12); x = x * 577 + (x >>> 13); x = x * 579 + (x >>> 14); x = x * 581 + (x >>> 15); x = x * 583 + (x >>> 16); x = x * 585 + (x >>> 17); x = x * 587 + (x >>> 18); x = x * 589 + (x >>> 19); x = x * 591 + (x >>> 20); x = x * 593 + (x >>> 21); x = x * 595 + (x >>> 22); x = x * 597 + (x >>> 23); x = x * 599 + (x >>> 24); x = x * 601 + (x >>> 25); x = x * 603 + (x >>> 26); x = x * 605 + (x >>> 27);
			x = x * 607 + (x >>> 28); x = x * 609 + (x >>> 29); x = x * 611 + (x >>> 1); x = x * 613 + (x >>> 2); x = x * 615 + (x >>> 3); x = x * 617 + (x >>> 4); x = x * 619 + (x >>> 5); x = x * 621 + (x >>> 6); x = x * 623 + (x >>> 7); x = x * 625 + (x >>> 8); x = x * 627 + (x >>> 9); x = x * 629 + (x >>> 10); x = x * 631 + (x >>> 11); x = x * 633 + (x >>> 12); x = x * 635 + (x >>> 13); x = x * 637 + (x >>> 14); x = x * 639 + (x >>> 15); x = x * 641 + (x >>> 16); x = x * 643 + (x >>> 17); x = x * 645 + (x >>> 18); x = x * 647 + (x >>> 19); x = x * 649 + (x >>> 20); x = x * 651 + (x >>> 21); x = x * 653 + (x >>> 22);
			x = x * 655 + (x >>> 23); x = x * 657 + (x >>> 24); x = x * 659 + (x >>> 25); x = x * 661 + (x >>> 26); x = x * 663 + (x >>> 27); x = x * 665 + (x >>> 28); x = x * 667 + (x >>> 29); x = x * 669 + (x >>> 1); x = x * 671 + (x >>> 2); x = x * 673 + (x >>> 3); x = x * 675 + (x >>> 4); x = x * 677 + (x >>> 5); x = x * 679 + (x >>> 6); x = x * 681 + (x >>> 7); x = x * 683 + (x >>> 8); x = x * 685 + (x >>> 9); x = x * 687 + (x >>> 10); x = x * 689 + (x >>> 11); x = x * 691 + (x >>> 12); x = x * 693 + (x >>> 13); x = x * 695 + (x >>> 14); x = x * 697 + (x >>> 15); x = x * 699 + (x >>> 16); x = x * 701 + (x >>> 17);
			x = x * 703 + (x >>> 18); x = x * 705 + (x >>> 19); x = x * 707 + (x >>> 20); x = x * 709 + (x >>> 21); x = x * 711 + (x >>> 22); x = x * 713 + (x >>> 23); x = x * 715 + (x >>> 24); x = x * 717 + (x >>> 25); x = x * 719 + (x >>> 26); x = x * 721 + (x >>> 27); x = x * 723 + (x >>> 28); x = x * 725 + (x >>> 29); x = x * 727 + (x >>> 1); x = x * 729 + (x >>> 2); x = x * 731 + (x >>> 3); x = x * 733 + (x >>> 4); x = x * 735 + (x >>> 5); x = x * 737 + (x >>> 6); x = x * 739 + (x >>> 7); x = x * 741 + (x >>> 8); x = x * 743 + (x >>> 9); x = x * 745 + (x >>> 10); x = x * 747 + (x >>> 11); x = x * 749 + (x >>> 12);
			x = x * 751 + (x >>> 13); x = x * 753 + (x >>> 14); x = x * 755 + (x >>> 15); x = x * 757 + (x >>> 16); x = x * 759 + (x >>> 17); x = x * 761 + (x >>> 18); x = x * 763 + (x >>> 19); x = x * 765 + (x >>> 20); x = x * 767 + (x >>> 21); x = x * 769 + (x >>> 22); x = x * 771 + (x >>> 23); x = x * 773 + (x >>> 24); x = x * 775 + (x >>> 25); x = x * 777 + (x >>> 26); x = x * 779 + (x >>> 27); x = x * 781 + (x >>> 28); x = x * 783 + (x >>> 29); x = x * 785 + (x >>> 1); x = x * 787 + (x >>> 2); x = x * 789 + (x >>> 3); x = x * 791 + (x >>> 4); x = x * 793 + (x >>> 5); x = x * 795 + (x >>> 6); x = x * 797 + (x >>> 7);
			x = x * 799 + (x >>> 8); x = x * 801 + (x >>> 9); x = x * 803 + (x >>> 10); x = x * 805 + (x >>> 11); x = x * 807 + (x >>> 12); x = x * 809 + (x >>> 13); x = x * 811 + (x >>> 14); x = x * 813 + (x >>> 15); x = x * 815 + (x >>> 16); x = x * 817 + (x >>> 17); x = x * 819 + (x >>> 18); x = x * 821 + (x >>> 19); x = x * 823 + (x >>> 20); x = x * 825 + (x >>> 21); x = x * 827 + (x >>> 22); x = x * 829 + (x >>> 23); x = x * 831 + (x >>> 24); x = x * 833 + (x >>> 25); x = x * 835 + (x >>> 26); x = x * 837 + (x >>> 27); x = x * 839 + (x >>> 28); x = x * 841 + (x >>> 29); x = x * 843 + (x >>> 1); x = x * 845 + (x >>> 2);
			x = x * 847 + (x >>> 3); x = x * 849 + (x >>> 4); x = x * 851 + (x >>> 5); x = x * 853 + (x >>> 6); x = x * 855 + (x >>> 7); x = x * 857 + (x >>> 8); x = x * 859 + (x >>> 9); x = x * 861 + (x >>> 10); x = x * 863 + (x >>> 11); x = x * 865 + (x >>> 12); x = x * 867 + (x >>> 13); x = x * 869 + (x >>> 14); x = x * 871 + (x >>> 15); x = x * 873 + (x >>> 16); x = x * 875 + (x >>> 17); x = x * 877 + (x >>> 18); x = x * 879 + (x >>> 19); x = x * 881 + (x >>> 20); x = x * 883 + (x >>> 21); x = x * 885 + (x >>> 22); x = x * 887 + (x >>> 23); x = x * 889 + (x >>> 24); x = x * 891 + (x >>> 25); x = x * 893 + (x >>> 26);
			x = x * 895 + (x >>> 27); x = x * 897 + (x >>> 28); x = x * 899 + (x >>> 29); x = x * 901 + (x >>> 1); x = x * 903 + (x >>> 2); x = x * 905 + (x >>> 3); x = x * 907 + (x >>> 4); x = x * 909 + (x >>> 5); x = x * 911 + (x >>> 6); x = x * 913 + (x >>> 7); x = x * 915 + (x >>> 8); x = x * 917 + (x >>> 9); x = x * 919 + (x >>> 10); x = x * 921 + (x >>> 11); x = x * 923 + (x >>> 12); x = x * 925 + (x >>> 13); x = x * 927 + (x >>> 14); x = x * 929 + (x >>> 15); x = x * 931 + (x >>> 16); x = x * 933 + (x >>> 17); x = x * 935 + (x >>> 18); x = x * 937 + (x >>> 19); x = x * 939 + (x >>> 20); x = x * 941 + (x >>> 21);
			x = x * 943 + (x >>> 22); x = x * 945 + (x >>> 23); x = x * 947 + (x >>> 24); x = x * 949 + (x >>> 25); x = x * 951 + (x >>> 26); x = x * 953 + (x >>> 27); x = x * 955 + (x >>> 28); x = x * 957 + (x >>> 29); x = x * 959 + (x >>> 1); x = x * 961 + (x >>> 2); x = x * 963 + (x >>> 3); x = x * 965 + (x >>> 4); x = x * 967 + (x >>> 5); x = x * 969 + (x >>> 6); x = x * 971 + (x >>> 7); x = x * 973 + (x >>> 8); x = x * 975 + (x >>> 9); x = x * 977 + (x >>> 10); x = x * 979 + (x >>> 11); x = x * 981 + (x >>> 12); x = x * 983 + (x >>> 13); x = x * 985 + (x >>> 14); x = x * 987 + (x >>> 15); x = x * 989 + (x >>> 16);
			x = x * 991 + (x >>> 17); x = x * 993 + (x >>> 18); x = x * 995 + (x >>> 19); x = x * 997 + (x >>> 20); x = x * 999 + (x >>> 21); x = x * 1001 + (x >>> 22); x = x * 1003 + (x >>> 23); x = x * 1005 + (x >>> 24); x = x * 1007 + (x >>> 25); x = x * 1009 + (x >>> 26); x = x * 1011 + (x >>> 27); x = x * 1013 + (x >>> 28); x = x * 1015 + (x >>> 29); x = x * 1017 + (x >>> 1); x = x * 1019 + (x >>> 2); x = x * 1021 + (x >>> 3); x = x * 1023 + (x >>> 4); x = x * 1025 + (x >>> 5); x = x * 1027 + (x >>> 6); x = x * 1029 + (x >>> 7); x = x * 1031 + (x >>> 8); x = x * 1033 + (x >>> 9); x = x * 1035 + (x >>> 10); x = x * 1037 + (x >>> 11);
			x = x * 1039 + (x >>> 12); x = x * 1041 + (x >>> 13); x = x * 1043 + (x >>> 14); x = x * 1045 + (x >>> 15); x = x * 1047 + (x >>> 16); x = x * 1049 + (x >>> 17); x = x * 1051 + (x >>> 18); x = x * 1053 + (x >>> 19); x = x * 1055 + (x >>> 20); x = x * 1057 + (x >>> 21); x = x * 1059 + (x >>> 22); x = x * 1061 + (x >>> 23); x = x * 1063 + (x >>> 24); x = x * 1065 + (x >>> 25); x = x * 1067 + (x >>> 26); x = x * 1069 + (x >>> 27); x = x * 1071 + (x >>> 28); x = x * 1073 + (x >>> 29); x = x * 1075 + (x >>> 1); x = x * 1077 + (x >>> 2); x = x * 1079 + (x >>> 3); x = x * 1081 + (x >>> 4); x = x * 1083 + (x >>> 5); x = x * 1085 + (x >>> 6);
			x = x * 1087 + (x >>> 7); x = x * 1089 + (x >>> 8); x = x * 1091 + (x >>> 9); x = x * 1093 + (x >>> 10); x = x * 1095 + (x >>> 11); x = x * 1097 + (x >>> 12); x = x * 1099 + (x >>> 13); x = x * 1101 + (x >>> 14); x = x * 1103 + (x >>> 15); x = x * 1105 + (x >>> 16); x = x * 1107 + (x >>> 17); x = x * 1109 + (x >>> 18); x = x * 1111 + (x >>> 19); x = x * 1113 + (x >>> 20); x = x * 1115 + (x >>> 21); x = x * 1117 + (x >>> 22); x = x * 1119 + (x >>> 23); x = x * 1121 + (x >>> 24); x = x * 1123 + (x >>> 25); x = x * 1125 + (x >>> 26); x = x * 1127 + (x >>> 27); x = x * 1129 + (x >>> 28); x = x * 1131 + (x >>> 29); x = x * 1133 + (x >>> 1);
			x = x * 1135 + (x >>> 2); x = x * 1137 + (x >>> 3); x = x * 1139 + (x >>> 4); x = x * 1141 + (x >>> 5); x = x * 1143 + (x >>> 6); x = x * 1145 + (x >>> 7); x = x * 1147 + (x >>> 8); x = x * 1149 + (x >>> 9); x = x * 1151 + (x >>> 10); x = x * 1153 + (x >>> 11); x = x * 1155 + (x >>> 12); x = x * 1157 + (x >>> 13); x = x * 1159 + (x >>> 14); x = x * 1161 + (x >>> 15); x = x * 1163 + (x >>> 16); x = x * 1165 + (x >>> 17); x = x * 1167 + (x >>> 18); x = x * 1169 + (x >>> 19); x = x * 1171 + (x >>> 20); x = x * 1173 + (x >>> 21); x = x * 1175 + (x >>> 22); x = x * 1177 + (x >>> 23); x = x * 1179 + (x >>> 24); x = x * 1181 + (x >>> 25);
			x = x * 1183 + (x >>> 26); x = x * 1185 + (x >>> 27); x = x * 1187 + (x >>> 28); x = x * 1189 + (x >>> 29); x = x * 1191 + (x >>> 1); x = x * 1193 + (x >>> 2); x = x * 1195 + (x >>> 3); x = x * 1197 + (x >>> 4); x = x * 1199 + (x >>> 5); x = x * 1201 + (x >>> 6); x = x * 1203 + (x >>> 7); x = x * 1205 + (x >>> 8); x = x * 1207 + (x >>> 9); x = x * 1209 + (x >>> 10); x = x * 1211 + (x >>> 11); x = x * 1213 + (x >>> 12); x = x * 1215 + (x >>> 13); x = x * 1217 + (x >>> 14); x = x * 1219 + (x >>> 15); x = x * 1221 + (x >>> 16); x = x * 1223 + (x >>> 17); x = x * 1225 + (x >>> 18); x = x * 1227 + (x >>> 19); x = x * 1229 + (x >>> 20);
			x = x * 1231 + (x >>> 21); x = x * 1233 + (x >>> 22); x = x * 1235 + (x >>> 23); x = x * 1237 + (x >>> 24); x = x * 1239 + (x >>> 25); x = x * 1241 + (x >>> 26); x = x * 1243 + (x >>> 27); x = x * 1245 + (x >>> 28); x = x * 1247 + (x >>> 29); x = x * 1249 + (x >>> 1); x = x * 1251 + (x >>> 2); x = x * 1253 + (x >>> 3); x = x * 1255 + (x >>> 4); x = x * 1257 + (x >>> 5); x = x * 1259 + (x >>> 6); x = x * 1261 + (x >>> 7); x = x * 1263 + (x >>> 8); x = x * 1265 + (x >>> 9); x = x * 1267 + (x >>> 10); x = x * 1269 + (x >>> 11); x = x * 1271 + (x >>> 12); x = x * 1273 + (x >>> 13); x = x * 1275 + (x >>> 14); x = x * 1277 + (x >>> 15);
			x = x * 1279 + (x >>> 16); x = x * 1281 + (x >>> 17); x = x * 1283 + (x >>> 18); x = x * 1285 + (x >>> 19); x = x * 1287 + (x >>> 20); x = x * 1289 + (x >>> 21); x = x * 1291 + (x >>> 22); x = x * 1293 + (x >>> 23); x = x * 1295 + (x >>> 24); x = x * 1297 + (x >>> 25); x = x * 1299 + (x >>> 26); x = x * 1301 + (x >>> 27); x = x * 1303 + (x >>> 28); x = x * 1305 + (x >>> 29); x = x * 1307 + (x >>> 1); x = x * 1309 + (x >>> 2); x = x * 1311 + (x >>> 3); x = x * 1313 + (x >>> 4); x = x * 1315 + (x >>> 5); x = x * 1317 + (x >>> 6); x = x * 1319 + (x >>> 7); x = x * 1321 + (x >>> 8); x = x * 1323 + (x >>> 9); x = x * 1325 + (x >>> 10);
			x = x * 1327 + (x >>> 11); x = x * 1329 + (x >>> 12); x = x * 1331 + (x >>> 13); x = x * 1333 + (x >>> 14); x = x * 1335 + (x >>> 15); x = x * 1337 + (x >>> 16); x = x * 1339 + (x >>> 17); x = x * 1341 + (x >>> 18); x = x * 1343 + (x >>> 19); x = x * 1345 + (x >>> 20); x = x * 1347 + (x >>> 21); x = x * 1349 + (x >>> 22); x = x * 1351 + (x >>> 23); x = x * 1353 + (x >>> 24); x = x * 1355 + (x >>> 25); x = x * 1357 + (x >>> 26); x = x * 1359 + (x >>> 27); x = x * 1361 + (x >>> 28); x = x * 1363 + (x >>> 29); x = x * 1365 + (x >>> 1); x = x * 1367 + (x >>> 2); x = x * 1369 + (x >>> 3); x = x * 1371 + (x >>> 4); x = x * 1373 + (x >>> 5);
			x = x * 1375 + (x >>> 6); x = x * 1377 + (x >>> 7); x = x * 1379 + (x >>> 8); x = x * 1381 + (x >>> 9); x = x * 1383 + (x >>> 10); x = x * 1385 + (x >>> 11); x = x * 1387 + (x >>> 12); x = x * 1389 + (x >>> 13); x = x * 1391 + (x >>> 14); x = x * 1393 + (x >>> 15); x = x * 1395 + (x >>> 16); x = x * 1397 + (x >>> 17); x = x * 1399 + (x >>> 18); x = x * 1401 + (x >>> 19); x = x * 1403 + (x >>> 20); x = x * 1405 + (x >>> 21); x = x * 1407 + (x >>> 22); x = x * 1409 + (x >>> 23); x = x * 1411 + (x >>> 24); x = x * 1413 + (x >>> 25); x = x * 1415 + (x >>> 26); x = x * 1417 + (x >>> 27); x = x * 1419 + (x >>> 28); x = x * 1421 + (x >>> 29);
			x = x * 1423 + (x >>> 1); x = x * 1425 + (x >>> 2); x = x * 1427 + (x >>> 3); x = x * 1429 + (x >>> 4); x = x * 1431 + (x >>> 5); x = x * 1433 + (x >>> 6); x = x * 1435 + (x >>> 7); x = x * 1437 + (x >>> 8); x = x * 1439 + (x >>> 9); x = x * 1441 + (x >>> 10); x = x * 1443 + (x >>> 11); x = x * 1445 + (x >>> 12); x = x * 1447 + (x >>> 13); x = x * 1449 + (x >>> 14); x = x * 1451 + (x >>> 15); x = x * 1453 + (x >>> 16); x = x * 1455 + (x >>> 17); x = x * 1457 + (x >>> 18); x = x * 1459 + (x >>> 19); x = x * 1461 + (x >>> 20); x = x * 1463 + (x >>> 21); x = x * 1465 + (x >>> 22); x = x * 1467 + (x >>> 23); x = x * 1469 + (x >>> 24);
			x = x * 1471 + (x >>> 25); x = x * 1473 + (x >>> 26); x = x * 1475 + (x >>> 27); x = x * 1477 + (x >>> 28); x = x * 1479 + (x >>> 29); x = x * 1481 + (x >>> 1); x = x * 1483 + (x >>> 2); x = x * 1485 + (x >>> 3); x = x * 1487 + (x >>> 4); x = x * 1489 + (x >>> 5); x = x * 1491 + (x >>> 6); x = x * 1493 + (x >>> 7); x = x * 1495 + (x >>> 8); x = x * 1497 + (x >>> 9); x = x * 1499 + (x >>> 10); x = x * 1501 + (x >>> 11); x = x * 1503 + (x >>> 12); x = x * 1505 + (x >>> 13); x = x * 1507 + (x >>> 14); x = x * 1509 + (x >>> 15); x = x * 1511 + (x >>> 16); x = x * 1513 + (x >>> 17); x = x * 1515 + (x >>> 18); x = x * 1517 + (x >>> 19);
			x = x * 1519 + (x >>> 20); x = x * 1521 + (x >>> 21); x = x * 1523 + (x >>> 22); x = x * 1525 + (x >>> 23); x = x * 1527 + (x >>> 24); x = x * 1529 + (x >>> 25); x = x * 1531 + (x >>> 26); x = x * 1533 + (x >>> 27); x = x * 1535 + (x >>> 28); x = x * 1537 + (x >>> 29); x = x * 1539 + (x >>> 1); x = x * 1541 + (x >>> 2); x = x * 1543 + (x >>> 3); x = x * 1545 + (x >>> 4); x = x * 1547 + (x >>> 5); x = x * 1549 + (x >>> 6); x = x * 1551 + (x >>> 7); x = x * 1553 + (x >>> 8); x = x * 1555 + (x >>> 9); x = x * 1557 + (x >>> 10); x = x * 1559 + (x >>> 11); x = x * 1561 + (x >>> 12); x = x * 1563 + (x >>> 13); x = x * 1565 + (x >>> 14);
			x = x * 1567 + (x >>> 15); x = x * 1569 + (x >>> 16); x = x * 1571 + (x >>> 17); x = x * 1573 + (x >>> 18); x = x * 1575 + (x >>> 19); x = x * 1577 + (x >>> 20); x = x * 1579 + (x >>> 21); x = x * 1581 + (x >>> 22); x = x * 1583 + (x >>> 23); x = x * 1585 + (x >>> 24); x = x * 1587 + (x >>> 25); x = x * 1589 + (x >>> 26); x = x * 1591 + (x >>> 27); x = x * 1593 + (x >>> 28); x = x * 1595 + (x >>> 29); x = x * 1597 + (x >>> 1); x = x * 1599 + (x >>> 2); x = x * 1601 + (x >>> 3); x = x * 1603 + (x >>> 4); x = x * 1605 + (x >>> 5); x = x * 1607 + (x >>> 6); x = x * 1609 + (x >>> 7); x = x * 1611 + (x >>> 8); x = x * 1613 + (x >>> 9);
			x = x * 1615 + (x >>> 10); x = x * 1617 + (x >>> 11); x = x * 1619 + (x >>> 12); x = x * 1621 + (x >>> 13); x = x * 1623 + (x >>> 14); x = x * 1625 + (x >>> 15); x = x * 1627 + (x >>> 16); x = x * 1629 + (x >>> 17); x = x * 1631 + (x >>> 18); x = x * 1633 + (x >>> 19); x = x * 1635 + (x >>> 20); x = x * 1637 + (x >>> 21); x = x * 1639 + (x >>> 22); x = x * 1641 + (x >>> 23); x = x * 1643 + (x >>> 24); x = x * 1645 + (x >>> 25); x = x * 1647 + (x >>> 26); x = x * 1649 + (x >>> 27); x = x * 1651 + (x >>> 28); x = x * 1653 + (x >>> 29); x = x * 1655 + (x >>> 1); x = x * 1657 + (x >>> 2); x = x * 1659 + (x >>> 3); x = x * 1661 + (x >>> 4);
			x = x * 1663 + (x >>> 5); x = x * 1665 + (x >>> 6); x = x * 1667 + (x >>> 7); x = x * 1669 + (x >>> 8); x = x * 1671 + (x >>> 9); x = x * 1673 + (x >>> 10); x = x * 1675 + (x >>> 11); x = x * 1677 + (x >>> 12); x = x * 1679 + (x >>> 13); x = x * 1681 + (x >>> 14); x = x * 1683 + (x >>> 15); x = x * 1685 + (x >>> 16); x = x * 1687 + (x >>> 17); x = x * 1689 + (x >>> 18); x = x * 1691 + (x >>> 19); x = x * 1693 + (x >>> 20); x = x * 1695 + (x >>> 21); x = x * 1697 + (x >>> 22); x = x * 1699 + (x >>> 23); x = x * 1701 + (x >>> 24); x = x * 1703 + (x >>> 25); x = x * 1705 + (x >>> 26); x = x * 1707 + (x >>> 27); x = x * 1709 + (x >>> 28);
			x = x * 1711 + (x >>> 29); x = x * 1713 + (x >>> 1); x = x * 1715 + (x >>> 2); x = x * 1717 + (x >>> 3); x = x * 1719 + (x >>> 4); x = x * 1721 + (x >>> 5); x = x * 1723 + (x >>> 6); x = x * 1725 + (x >>> 7); x = x * 1727 + (x >>> 8); x = x * 1729 + (x >>> 9); x = x * 1731 + (x >>> 10); x = x * 1733 + (x >>> 11); x = x * 1735 + (x >>> 12); x = x * 1737 + (x >>> 13); x = x * 1739 + (x >>> 14); x = x * 1741 + (x >>> 15); x = x * 1743 + (x >>> 16); x = x * 1745 + (x >>> 17); x = x * 1747 + (x >>> 18); x = x * 1749 + (x >>> 19); x = x * 1751 + (x >>> 20); x = x * 1753 + (x >>> 21); x = x * 1755 + (x >>> 22); x = x * 1757 + (x >>> 23);
			x = x * 1759 + (x >>> 24); x = x * 1761 + (x >>> 25); x = x * 1763 + (x >>> 26); x = x * 1765 + (x >>> 27); x = x * 1767 + (x >>> 28); x = x * 1769 + (x >>> 29); x = x * 1771 + (x >>> 1); x = x * 1773 + (x >>> 2); x = x * 1775 + (x >>> 3); x = x * 1777 + (x >>> 4); x = x * 1779 + (x >>> 5); x = x * 1781 + (x >>> 6); x = x * 1783 + (x >>> 7); x = x * 1785 + (x >>> 8); x = x * 1787 + (x >>> 9); x = x * 1789 + (x >>> 10); x = x * 1791 + (x >>> 11); x = x * 1793 + (x >>> 12); x = x * 1795 + (x >>> 13); x = x * 1797 + (x >>> 14); x = x * 1799 + (x >>> 15); x = x * 1801 + (x >>> 16); x = x * 1803 + (x >>> 17); x = x * 1805 + (x >>> 18);
			x = x * 1807 + (x >>> 19); x = x * 1809 + (x >>> 20); x = x * 1811 + (x >>> 21); x = x * 1813 + (x >>> 22); x = x * 1815 + (x >>> 23); x = x * 1817 + (x >>> 24); x = x * 1819 + (x >>> 25); x = x * 1821 + (x >>> 26); x = x * 1823 + (x >>> 27); x = x * 1825 + (x >>> 28); x = x * 1827 + (x >>> 29); x = x * 1829 + (x >>> 1);
			return x;
		}

		static int split(int x) {
			return part(part(part(part(part(x)))));
		}

		static int part(int x) {
			x = x * 31 + (x >>> 1); x = x * 33 + (x >>> 2); x = x * 35 + (x >>> 3); x = x * 37 + (x >>> 4); x = x * 39 + (x >>> 5); x = x * 41 + (x >>> 6); x = x * 43 + (x >>> 7); x = x * 45 + (x >>> 8); x = x * 47 + (x >>> 9); x = x * 49 + (x >>> 10); x = x * 51 + (x >>> 11); x = x * 53 + (x >>> 12); x = x * 55 + (x >>> 13); x = x * 57 + (x >>> 14); x = x * 59 + (x >>> 15); x = x * 61 + (x >>> 16); x = x * 63 + (x >>> 17); x = x * 65 + (x >>> 18); x = x * 67 + (x >>> 19); x = x * 69 + (x >>> 20); x = x * 71 + (x >>> 21); x = x * 73 + (x >>> 22); x = x * 75 + (x >>> 23); x = x * 77 + (x >>> 24);
			x = x * 79 + (x >>> 25); x = x * 81 + (x >>> 26); x = x * 83 + (x >>> 27); x = x * 85 + (x >>> 28); x = x * 87 + (x >>> 29); x = x * 89 + (x >>> 1); x = x * 91 + (x >>> 2); x = x * 93 + (x >>> 3); x = x * 95 + (x >>> 4); x = x * 97 + (x >>> 5); x = x * 99 + (x >>> 6); x = x * 101 + (x >>> 7); x = x * 103 + (x >>> 8); x = x * 105 + (x >>> 9); x = x * 107 + (x >>> 10); x = x * 109 + (x >>> 11); x = x * 111 + (x >>> 12); x = x * 113 + (x >>> 13); x = x * 115 + (x >>> 14); x = x * 117 + (x >>> 15); x = x * 119 + (x >>> 16); x = x * 121 + (x >>> 17); x = x * 123 + (x >>> 18); x = x * 125 + (x >>> 19);
			x = x * 127 + (x >>> 20); x = x * 129 + (x >>> 21); x = x * 131 + (x >>> 22); x = x * 133 + (x >>> 23); x = x * 135 + (x >>> 24); x = x * 137 + (x >>> 25); x = x * 139 + (x >>> 26); x = x * 141 + (x >>> 27); x = x * 143 + (x >>> 28); x = x * 145 + (x >>> 29); x = x * 147 + (x >>> 1); x = x * 149 + (x >>> 2); x = x * 151 + (x >>> 3); x = x * 153 + (x >>> 4); x = x * 155 + (x >>> 5); x = x * 157 + (x >>> 6); x = x * 159 + (x >>> 7); x = x * 161 + (x >>> 8); x = x * 163 + (x >>> 9); x = x * 165 + (x >>> 10); x = x * 167 + (x >>> 11); x = x * 169 + (x >>> 12); x = x * 171 + (x >>> 13); x = x * 173 + (x >>> 14);
			x = x * 175 + (x >>> 15); x = x * 177 + (x >>> 16); x = x * 179 + (x >>> 17); x = x * 181 + (x >>> 18); x = x * 183 + (x >>> 19); x = x * 185 + (x >>> 20); x = x * 187 + (x >>> 21); x = x * 189 + (x >>> 22); x = x * 191 + (x >>> 23); x = x * 193 + (x >>> 24); x = x * 195 + (x >>> 25); x = x * 197 + (x >>> 26); x = x * 199 + (x >>> 27); x = x * 201 + (x >>> 28); x = x * 203 + (x >>> 29); x = x * 205 + (x >>> 1); x = x * 207 + (x >>> 2); x = x * 209 + (x >>> 3); x = x * 211 + (x >>> 4); x = x * 213 + (x >>> 5); x = x * 215 + (x >>> 6); x = x * 217 + (x >>> 7); x = x * 219 + (x >>> 8); x = x * 221 + (x >>> 9);
			x = x * 223 + (x >>> 10); x = x * 225 + (x >>> 11); x = x * 227 + (x >>> 12); x = x * 229 + (x >>> 13); x = x * 231 + (x >>> 14); x = x * 233 + (x >>> 15); x = x * 235 + (x >>> 16); x = x * 237 + (x >>> 17); x = x * 239 + (x >>> 18); x = x * 241 + (x >>> 19); x = x * 243 + (x >>> 20); x = x * 245 + (x >>> 21); x = x * 247 + (x >>> 22); x = x * 249 + (x >>> 23); x = x * 251 + (x >>> 24); x = x * 253 + (x >>> 25); x = x * 255 + (x >>> 26); x = x * 257 + (x >>> 27); x = x * 259 + (x >>> 28); x = x * 261 + (x >>> 29); x = x * 263 + (x >>> 1); x = x * 265 + (x >>> 2); x = x * 267 + (x >>> 3); x = x * 269 + (x >>> 4);
			x = x * 271 + (x >>> 5); x = x * 273 + (x >>> 6); x = x * 275 + (x >>> 7); x = x * 277 + (x >>> 8); x = x * 279 + (x >>> 9); x = x * 281 + (x >>> 10); x = x * 283 + (x >>> 11); x = x * 285 + (x >>> 12); x = x * 287 + (x >>> 13); x = x * 289 + (x >>> 14); x = x * 291 + (x >>> 15); x = x * 293 + (x >>> 16); x = x * 295 + (x >>> 17); x = x * 297 + (x >>> 18); x = x * 299 + (x >>> 19); x = x * 301 + (x >>> 20); x = x * 303 + (x >>> 21); x = x * 305 + (x >>> 22); x = x * 307 + (x >>> 23); x = x * 309 + (x >>> 24); x = x * 311 + (x >>> 25); x = x * 313 + (x >>> 26); x = x * 315 + (x >>> 27); x = x * 317 + (x >>> 28);
			x = x * 319 + (x >>> 29); x = x * 321 + (x >>> 1); x = x * 323 + (x >>> 2); x = x * 325 + (x >>> 3); x = x * 327 + (x >>> 4); x = x * 329 + (x >>> 5); x = x * 331 + (x >>> 6); x = x * 333 + (x >>> 7); x = x * 335 + (x >>> 8); x = x * 337 + (x >>> 9); x = x * 339 + (x >>> 10); x = x * 341 + (x >>> 11); x = x * 343 + (x >>> 12); x = x * 345 + (x >>> 13); x = x * 347 + (x >>> 14); x = x * 349 + (x >>> 15); x = x * 351 + (x >>> 16); x = x * 353 + (x >>> 17); x = x * 355 + (x >>> 18); x = x * 357 + (x >>> 19); x = x * 359 + (x >>> 20); x = x * 361 + (x >>> 21); x = x * 363 + (x >>> 22); x = x * 365 + (x >>> 23);
			x = x * 367 + (x >>> 24); x = x * 369 + (x >>> 25); x = x * 371 + (x >>> 26); x = x * 373 + (x >>> 27); x = x * 375 + (x >>> 28); x = x * 377 + (x >>> 29); x = x * 379 + (x >>> 1); x = x * 381 + (x >>> 2); x = x * 383 + (x >>> 3); x = x * 385 + (x >>> 4); x = x * 387 + (x >>> 5); x = x * 389 + (x >>> 6);
			return x;
		}
	}

	static final class OsrOnly {
		static void run(boolean isBad) {
			if (isBad) {
				sink += whole(new int[1 << 12]);
			} else {
				int[] values = new int[1 << 12];
				while (goesOn()) {
					sink += once(values);
				}
			}
		}

		/** Called once: its loops are entered in the middle. */
		static int whole(int[] values) {
			int sum = 0;
			while (goesOn()) {
				for (int round = 0; round < 64; round++) {
					for (int i = 1; i < values.length; i++) {
						values[i] += values[i - 1] * 31 + round;
						sum += values[i] >>> 5;
					}
				}
			}
			return sum;
		}

		static int once(int[] values) {
			int sum = 0;
			for (int round = 0; round < 64; round++) {
				for (int i = 1; i < values.length; i++) {
					values[i] += values[i - 1] * 31 + round;
					sum += values[i] >>> 5;
				}
			}
			return sum;
		}
	}

	/** A counted loop polls after it only, unless it is strip-mined; the collector waits meanwhile. */
	static final class NoPoll {
		static void run(boolean isBad) throws InterruptedException {
			Thread collector = new Thread(() -> {
				while (goesOn()) {
					System.gc();
					pause();
				}
			}, "collector");
			collector.start();
			while (goesOn()) {
				sink += isBad ? counted(500_000_000) : polled(500_000);
			}
			collector.join();
		}

		static void pause() {
			try {
				Thread.sleep(20);
			} catch (InterruptedException _unused) {
				throw new IllegalStateException();
			}
		}

		static int counted(int count) {
			int x = 1;
			for (int i = 0; i < count; i++) {
				x = x * 31 + (x >>> 7);
			}
			return x;
		}

		static int polled(int count) {
			int x = 1;
			for (int i = 0; i < count; i++) {
				x = x * 31 + (x >>> 7);
			}
			return x;
		}
	}

	static final class Plain {
		static void run() {
			int[] values = new int[1 << 12];
			while (goesOn()) {
				sink += work(values);
			}
		}

		static int work(int[] values) {
			int sum = 0;
			for (int i = 1; i < values.length - 1; i++) {
				values[i] = values[i - 1] * 31 + (values[i + 1] >>> 3) ^ i;
				sum += values[i] > 0 ? values[i] : -values[i] * 7;
			}
			return sum;
		}
	}

	/** Loops in loops over many arrays keep the compiler busy for seconds. */
	static final class SlowCompilation {
		static void run(boolean isBad) {
			int[][] rows = new int[24][64];
			while (goesOn()) {
				sink += isBad ? tangle(rows, sink & 7) : line(rows);
			}
		}

		static int line(int[][] rows) {
			int sum = 0;
			for (int[] row : rows) {
				for (int i = 0; i < row.length; i++) {
					row[i] = row[i] * 31 + i;
				}
				sum += row[1];
			}
			return sum;
		}

		static int tangle(int[][] rows, int x) {
			for (int i = 1; i < rows[0].length; i++) {
				for (int j = i; j < rows[1].length; j++) {
					rows[0][i] += rows[1][j] * 31 + x;
					x ^= rows[5][j - i] + i;
				}
			}
			for (int i = 1; i < rows[1].length; i++) {
				for (int j = i; j < rows[2].length; j++) {
					rows[1][i] += rows[2][j] * 32 + x;
					x ^= rows[6][j - i] + i;
				}
			}
			for (int i = 1; i < rows[2].length; i++) {
				for (int j = i; j < rows[3].length; j++) {
					rows[2][i] += rows[3][j] * 33 + x;
					x ^= rows[7][j - i] + i;
				}
			}
			for (int i = 1; i < rows[3].length; i++) {
				for (int j = i; j < rows[4].length; j++) {
					rows[3][i] += rows[4][j] * 34 + x;
					x ^= rows[8][j - i] + i;
				}
			}
			for (int i = 1; i < rows[4].length; i++) {
				for (int j = i; j < rows[5].length; j++) {
					rows[4][i] += rows[5][j] * 35 + x;
					x ^= rows[9][j - i] + i;
				}
			}
			for (int i = 1; i < rows[5].length; i++) {
				for (int j = i; j < rows[6].length; j++) {
					rows[5][i] += rows[6][j] * 36 + x;
					x ^= rows[10][j - i] + i;
				}
			}
			for (int i = 1; i < rows[6].length; i++) {
				for (int j = i; j < rows[7].length; j++) {
					rows[6][i] += rows[7][j] * 37 + x;
					x ^= rows[11][j - i] + i;
				}
			}
			for (int i = 1; i < rows[7].length; i++) {
				for (int j = i; j < rows[8].length; j++) {
					rows[7][i] += rows[8][j] * 38 + x;
					x ^= rows[12][j - i] + i;
				}
			}
			for (int i = 1; i < rows[8].length; i++) {
				for (int j = i; j < rows[9].length; j++) {
					rows[8][i] += rows[9][j] * 39 + x;
					x ^= rows[13][j - i] + i;
				}
			}
			for (int i = 1; i < rows[9].length; i++) {
				for (int j = i; j < rows[10].length; j++) {
					rows[9][i] += rows[10][j] * 40 + x;
					x ^= rows[14][j - i] + i;
				}
			}
			for (int i = 1; i < rows[10].length; i++) {
				for (int j = i; j < rows[11].length; j++) {
					rows[10][i] += rows[11][j] * 41 + x;
					x ^= rows[15][j - i] + i;
				}
			}
			for (int i = 1; i < rows[11].length; i++) {
				for (int j = i; j < rows[12].length; j++) {
					rows[11][i] += rows[12][j] * 42 + x;
					x ^= rows[16][j - i] + i;
				}
			}
			for (int i = 1; i < rows[12].length; i++) {
				for (int j = i; j < rows[13].length; j++) {
					rows[12][i] += rows[13][j] * 43 + x;
					x ^= rows[17][j - i] + i;
				}
			}
			for (int i = 1; i < rows[13].length; i++) {
				for (int j = i; j < rows[14].length; j++) {
					rows[13][i] += rows[14][j] * 44 + x;
					x ^= rows[18][j - i] + i;
				}
			}
			for (int i = 1; i < rows[14].length; i++) {
				for (int j = i; j < rows[15].length; j++) {
					rows[14][i] += rows[15][j] * 45 + x;
					x ^= rows[19][j - i] + i;
				}
			}
			for (int i = 1; i < rows[15].length; i++) {
				for (int j = i; j < rows[16].length; j++) {
					rows[15][i] += rows[16][j] * 46 + x;
					x ^= rows[20][j - i] + i;
				}
			}
			for (int i = 1; i < rows[16].length; i++) {
				for (int j = i; j < rows[17].length; j++) {
					rows[16][i] += rows[17][j] * 47 + x;
					x ^= rows[21][j - i] + i;
				}
			}
			for (int i = 1; i < rows[17].length; i++) {
				for (int j = i; j < rows[18].length; j++) {
					rows[17][i] += rows[18][j] * 48 + x;
					x ^= rows[22][j - i] + i;
				}
			}
			for (int i = 1; i < rows[18].length; i++) {
				for (int j = i; j < rows[19].length; j++) {
					rows[18][i] += rows[19][j] * 49 + x;
					x ^= rows[23][j - i] + i;
				}
			}
			for (int i = 1; i < rows[19].length; i++) {
				for (int j = i; j < rows[20].length; j++) {
					rows[19][i] += rows[20][j] * 50 + x;
					x ^= rows[0][j - i] + i;
				}
			}
			for (int i = 1; i < rows[20].length; i++) {
				for (int j = i; j < rows[21].length; j++) {
					rows[20][i] += rows[21][j] * 51 + x;
					x ^= rows[1][j - i] + i;
				}
			}
			for (int i = 1; i < rows[21].length; i++) {
				for (int j = i; j < rows[22].length; j++) {
					rows[21][i] += rows[22][j] * 52 + x;
					x ^= rows[2][j - i] + i;
				}
			}
			for (int i = 1; i < rows[22].length; i++) {
				for (int j = i; j < rows[23].length; j++) {
					rows[22][i] += rows[23][j] * 53 + x;
					x ^= rows[3][j - i] + i;
				}
			}
			for (int i = 1; i < rows[23].length; i++) {
				for (int j = i; j < rows[0].length; j++) {
					rows[23][i] += rows[0][j] * 54 + x;
					x ^= rows[4][j - i] + i;
				}
			}
			for (int i = 1; i < rows[0].length; i++) {
				for (int j = i; j < rows[2].length; j++) {
					rows[0][i] += rows[2][j] * 55 + x;
					x ^= rows[8][j - i] + i;
				}
			}
			for (int i = 1; i < rows[1].length; i++) {
				for (int j = i; j < rows[3].length; j++) {
					rows[1][i] += rows[3][j] * 56 + x;
					x ^= rows[9][j - i] + i;
				}
			}
			for (int i = 1; i < rows[2].length; i++) {
				for (int j = i; j < rows[4].length; j++) {
					rows[2][i] += rows[4][j] * 57 + x;
					x ^= rows[10][j - i] + i;
				}
			}
			for (int i = 1; i < rows[3].length; i++) {
				for (int j = i; j < rows[5].length; j++) {
					rows[3][i] += rows[5][j] * 58 + x;
					x ^= rows[11][j - i] + i;
				}
			}
			for (int i = 1; i < rows[4].length; i++) {
				for (int j = i; j < rows[6].length; j++) {
					rows[4][i] += rows[6][j] * 59 + x;
					x ^= rows[12][j - i] + i;
				}
			}
			for (int i = 1; i < rows[5].length; i++) {
				for (int j = i; j < rows[7].length; j++) {
					rows[5][i] += rows[7][j] * 60 + x;
					x ^= rows[13][j - i] + i;
				}
			}
			for (int i = 1; i < rows[6].length; i++) {
				for (int j = i; j < rows[8].length; j++) {
					rows[6][i] += rows[8][j] * 61 + x;
					x ^= rows[14][j - i] + i;
				}
			}
			for (int i = 1; i < rows[7].length; i++) {
				for (int j = i; j < rows[9].length; j++) {
					rows[7][i] += rows[9][j] * 62 + x;
					x ^= rows[15][j - i] + i;
				}
			}
			for (int i = 1; i < rows[8].length; i++) {
				for (int j = i; j < rows[10].length; j++) {
					rows[8][i] += rows[10][j] * 63 + x;
					x ^= rows[16][j - i] + i;
				}
			}
			for (int i = 1; i < rows[9].length; i++) {
				for (int j = i; j < rows[11].length; j++) {
					rows[9][i] += rows[11][j] * 64 + x;
					x ^= rows[17][j - i] + i;
				}
			}
			for (int i = 1; i < rows[10].length; i++) {
				for (int j = i; j < rows[12].length; j++) {
					rows[10][i] += rows[12][j] * 65 + x;
					x ^= rows[18][j - i] + i;
				}
			}
			for (int i = 1; i < rows[11].length; i++) {
				for (int j = i; j < rows[13].length; j++) {
					rows[11][i] += rows[13][j] * 66 + x;
					x ^= rows[19][j - i] + i;
				}
			}
			for (int i = 1; i < rows[12].length; i++) {
				for (int j = i; j < rows[14].length; j++) {
					rows[12][i] += rows[14][j] * 67 + x;
					x ^= rows[20][j - i] + i;
				}
			}
			for (int i = 1; i < rows[13].length; i++) {
				for (int j = i; j < rows[15].length; j++) {
					rows[13][i] += rows[15][j] * 68 + x;
					x ^= rows[21][j - i] + i;
				}
			}
			for (int i = 1; i < rows[14].length; i++) {
				for (int j = i; j < rows[16].length; j++) {
					rows[14][i] += rows[16][j] * 69 + x;
					x ^= rows[22][j - i] + i;
				}
			}
			for (int i = 1; i < rows[15].length; i++) {
				for (int j = i; j < rows[17].length; j++) {
					rows[15][i] += rows[17][j] * 70 + x;
					x ^= rows[23][j - i] + i;
				}
			}
			for (int i = 1; i < rows[16].length; i++) {
				for (int j = i; j < rows[18].length; j++) {
					rows[16][i] += rows[18][j] * 71 + x;
					x ^= rows[0][j - i] + i;
				}
			}
			for (int i = 1; i < rows[17].length; i++) {
				for (int j = i; j < rows[19].length; j++) {
					rows[17][i] += rows[19][j] * 72 + x;
					x ^= rows[1][j - i] + i;
				}
			}
			for (int i = 1; i < rows[18].length; i++) {
				for (int j = i; j < rows[20].length; j++) {
					rows[18][i] += rows[20][j] * 73 + x;
					x ^= rows[2][j - i] + i;
				}
			}
			for (int i = 1; i < rows[19].length; i++) {
				for (int j = i; j < rows[21].length; j++) {
					rows[19][i] += rows[21][j] * 74 + x;
					x ^= rows[3][j - i] + i;
				}
			}
			for (int i = 1; i < rows[20].length; i++) {
				for (int j = i; j < rows[22].length; j++) {
					rows[20][i] += rows[22][j] * 75 + x;
					x ^= rows[4][j - i] + i;
				}
			}
			for (int i = 1; i < rows[21].length; i++) {
				for (int j = i; j < rows[23].length; j++) {
					rows[21][i] += rows[23][j] * 76 + x;
					x ^= rows[5][j - i] + i;
				}
			}
			for (int i = 1; i < rows[22].length; i++) {
				for (int j = i; j < rows[0].length; j++) {
					rows[22][i] += rows[0][j] * 77 + x;
					x ^= rows[6][j - i] + i;
				}
			}
			for (int i = 1; i < rows[23].length; i++) {
				for (int j = i; j < rows[1].length; j++) {
					rows[23][i] += rows[1][j] * 78 + x;
					x ^= rows[7][j - i] + i;
				}
			}
			for (int i = 1; i < rows[0].length; i++) {
				for (int j = i; j < rows[3].length; j++) {
					rows[0][i] += rows[3][j] * 79 + x;
					x ^= rows[11][j - i] + i;
				}
			}
			for (int i = 1; i < rows[1].length; i++) {
				for (int j = i; j < rows[4].length; j++) {
					rows[1][i] += rows[4][j] * 80 + x;
					x ^= rows[12][j - i] + i;
				}
			}
			for (int i = 1; i < rows[2].length; i++) {
				for (int j = i; j < rows[5].length; j++) {
					rows[2][i] += rows[5][j] * 81 + x;
					x ^= rows[13][j - i] + i;
				}
			}
			for (int i = 1; i < rows[3].length; i++) {
				for (int j = i; j < rows[6].length; j++) {
					rows[3][i] += rows[6][j] * 82 + x;
					x ^= rows[14][j - i] + i;
				}
			}
			for (int i = 1; i < rows[4].length; i++) {
				for (int j = i; j < rows[7].length; j++) {
					rows[4][i] += rows[7][j] * 83 + x;
					x ^= rows[15][j - i] + i;
				}
			}
			for (int i = 1; i < rows[5].length; i++) {
				for (int j = i; j < rows[8].length; j++) {
					rows[5][i] += rows[8][j] * 84 + x;
					x ^= rows[16][j - i] + i;
				}
			}
			for (int i = 1; i < rows[6].length; i++) {
				for (int j = i; j < rows[9].length; j++) {
					rows[6][i] += rows[9][j] * 85 + x;
					x ^= rows[17][j - i] + i;
				}
			}
			for (int i = 1; i < rows[7].length; i++) {
				for (int j = i; j < rows[10].length; j++) {
					rows[7][i] += rows[10][j] * 86 + x;
					x ^= rows[18][j - i] + i;
				}
			}
			for (int i = 1; i < rows[8].length; i++) {
				for (int j = i; j < rows[11].length; j++) {
					rows[8][i] += rows[11][j] * 87 + x;
					x ^= rows[19][j - i] + i;
				}
			}
			for (int i = 1; i < rows[9].length; i++) {
				for (int j = i; j < rows[12].length; j++) {
					rows[9][i] += rows[12][j] * 88 + x;
					x ^= rows[20][j - i] + i;
				}
			}
			for (int i = 1; i < rows[10].length; i++) {
				for (int j = i; j < rows[13].length; j++) {
					rows[10][i] += rows[13][j] * 89 + x;
					x ^= rows[21][j - i] + i;
				}
			}
			for (int i = 1; i < rows[11].length; i++) {
				for (int j = i; j < rows[14].length; j++) {
					rows[11][i] += rows[14][j] * 90 + x;
					x ^= rows[22][j - i] + i;
				}
			}
			for (int i = 1; i < rows[12].length; i++) {
				for (int j = i; j < rows[15].length; j++) {
					rows[12][i] += rows[15][j] * 91 + x;
					x ^= rows[23][j - i] + i;
				}
			}
			for (int i = 1; i < rows[13].length; i++) {
				for (int j = i; j < rows[16].length; j++) {
					rows[13][i] += rows[16][j] * 92 + x;
					x ^= rows[0][j - i] + i;
				}
			}
			for (int i = 1; i < rows[14].length; i++) {
				for (int j = i; j < rows[17].length; j++) {
					rows[14][i] += rows[17][j] * 93 + x;
					x ^= rows[1][j - i] + i;
				}
			}
			for (int i = 1; i < rows[15].length; i++) {
				for (int j = i; j < rows[18].length; j++) {
					rows[15][i] += rows[18][j] * 94 + x;
					x ^= rows[2][j - i] + i;
				}
			}
			for (int i = 1; i < rows[16].length; i++) {
				for (int j = i; j < rows[19].length; j++) {
					rows[16][i] += rows[19][j] * 95 + x;
					x ^= rows[3][j - i] + i;
				}
			}
			for (int i = 1; i < rows[17].length; i++) {
				for (int j = i; j < rows[20].length; j++) {
					rows[17][i] += rows[20][j] * 96 + x;
					x ^= rows[4][j - i] + i;
				}
			}
			for (int i = 1; i < rows[18].length; i++) {
				for (int j = i; j < rows[21].length; j++) {
					rows[18][i] += rows[21][j] * 97 + x;
					x ^= rows[5][j - i] + i;
				}
			}
			for (int i = 1; i < rows[19].length; i++) {
				for (int j = i; j < rows[22].length; j++) {
					rows[19][i] += rows[22][j] * 98 + x;
					x ^= rows[6][j - i] + i;
				}
			}
			for (int i = 1; i < rows[20].length; i++) {
				for (int j = i; j < rows[23].length; j++) {
					rows[20][i] += rows[23][j] * 99 + x;
					x ^= rows[7][j - i] + i;
				}
			}
			for (int i = 1; i < rows[21].length; i++) {
				for (int j = i; j < rows[0].length; j++) {
					rows[21][i] += rows[0][j] * 100 + x;
					x ^= rows[8][j - i] + i;
				}
			}
			for (int i = 1; i < rows[22].length; i++) {
				for (int j = i; j < rows[1].length; j++) {
					rows[22][i] += rows[1][j] * 101 + x;
					x ^= rows[9][j - i] + i;
				}
			}
			for (int i = 1; i < rows[23].length; i++) {
				for (int j = i; j < rows[2].length; j++) {
					rows[23][i] += rows[2][j] * 102 + x;
					x ^= rows[10][j - i] + i;
				}
			}
			for (int i = 1; i < rows[0].length; i++) {
				for (int j = i; j < rows[4].length; j++) {
					rows[0][i] += rows[4][j] * 103 + x;
					x ^= rows[14][j - i] + i;
				}
			}
			for (int i = 1; i < rows[1].length; i++) {
				for (int j = i; j < rows[5].length; j++) {
					rows[1][i] += rows[5][j] * 104 + x;
					x ^= rows[15][j - i] + i;
				}
			}
			for (int i = 1; i < rows[2].length; i++) {
				for (int j = i; j < rows[6].length; j++) {
					rows[2][i] += rows[6][j] * 105 + x;
					x ^= rows[16][j - i] + i;
				}
			}
			for (int i = 1; i < rows[3].length; i++) {
				for (int j = i; j < rows[7].length; j++) {
					rows[3][i] += rows[7][j] * 106 + x;
					x ^= rows[17][j - i] + i;
				}
			}
			for (int i = 1; i < rows[4].length; i++) {
				for (int j = i; j < rows[8].length; j++) {
					rows[4][i] += rows[8][j] * 107 + x;
					x ^= rows[18][j - i] + i;
				}
			}
			for (int i = 1; i < rows[5].length; i++) {
				for (int j = i; j < rows[9].length; j++) {
					rows[5][i] += rows[9][j] * 108 + x;
					x ^= rows[19][j - i] + i;
				}
			}
			for (int i = 1; i < rows[6].length; i++) {
				for (int j = i; j < rows[10].length; j++) {
					rows[6][i] += rows[10][j] * 109 + x;
					x ^= rows[20][j - i] + i;
				}
			}
			for (int i = 1; i < rows[7].length; i++) {
				for (int j = i; j < rows[11].length; j++) {
					rows[7][i] += rows[11][j] * 110 + x;
					x ^= rows[21][j - i] + i;
				}
			}
			for (int i = 1; i < rows[8].length; i++) {
				for (int j = i; j < rows[12].length; j++) {
					rows[8][i] += rows[12][j] * 111 + x;
					x ^= rows[22][j - i] + i;
				}
			}
			for (int i = 1; i < rows[9].length; i++) {
				for (int j = i; j < rows[13].length; j++) {
					rows[9][i] += rows[13][j] * 112 + x;
					x ^= rows[23][j - i] + i;
				}
			}
			for (int i = 1; i < rows[10].length; i++) {
				for (int j = i; j < rows[14].length; j++) {
					rows[10][i] += rows[14][j] * 113 + x;
					x ^= rows[0][j - i] + i;
				}
			}
			for (int i = 1; i < rows[11].length; i++) {
				for (int j = i; j < rows[15].length; j++) {
					rows[11][i] += rows[15][j] * 114 + x;
					x ^= rows[1][j - i] + i;
				}
			}
			for (int i = 1; i < rows[12].length; i++) {
				for (int j = i; j < rows[16].length; j++) {
					rows[12][i] += rows[16][j] * 115 + x;
					x ^= rows[2][j - i] + i;
				}
			}
			for (int i = 1; i < rows[13].length; i++) {
				for (int j = i; j < rows[17].length; j++) {
					rows[13][i] += rows[17][j] * 116 + x;
					x ^= rows[3][j - i] + i;
				}
			}
			for (int i = 1; i < rows[14].length; i++) {
				for (int j = i; j < rows[18].length; j++) {
					rows[14][i] += rows[18][j] * 117 + x;
					x ^= rows[4][j - i] + i;
				}
			}
			for (int i = 1; i < rows[15].length; i++) {
				for (int j = i; j < rows[19].length; j++) {
					rows[15][i] += rows[19][j] * 118 + x;
					x ^= rows[5][j - i] + i;
				}
			}
			for (int i = 1; i < rows[16].length; i++) {
				for (int j = i; j < rows[20].length; j++) {
					rows[16][i] += rows[20][j] * 119 + x;
					x ^= rows[6][j - i] + i;
				}
			}
			for (int i = 1; i < rows[17].length; i++) {
				for (int j = i; j < rows[21].length; j++) {
					rows[17][i] += rows[21][j] * 120 + x;
					x ^= rows[7][j - i] + i;
				}
			}
			return x;
		}
	}

	/** Copies of one class, each with methods of its own, called until all are compiled. */
	static final class ManyMethods {
		static void run(boolean isBad) throws Throwable {
			byte[] bytes = Copied.class.getResourceAsStream("ProblemsLab$Copied.class").readAllBytes();
			List<java.util.function.IntUnaryOperator> copies = new ArrayList<>();
			for (int i = 0; i < 3000 && goesOn(); i++) {
				if (i < 1 || isBad) {
					Class<?> copy = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
					copies.add((java.util.function.IntUnaryOperator) copy.getDeclaredConstructor().newInstance());
				}
				for (int k = 0; k < 40; k++) {
					for (int at = Math.max(0, copies.size() - 40); at < copies.size(); at++) {
						sink += copies.get(at).applyAsInt(k);
					}
				}
			}
			while (goesOn()) {
				for (java.util.function.IntUnaryOperator copy : copies) {
					sink += copy.applyAsInt(1);
				}
			}
		}
	}

	static final class Copied implements java.util.function.IntUnaryOperator {
		public int applyAsInt(int x) {
			for (int i = 0; i < 24; i++) {
				x = large(x) + large(x + i) + large(x ^ i);
			}
			return x;
		}

		/** More bytecode than FreqInlineSize. */
		static int large(int x) {
			x = x * 31 + (x >>> 1); x = x * 33 + (x >>> 2); x = x * 35 + (x >>> 3); x = x * 37 + (x >>> 4); x = x * 39 + (x >>> 5); x = x * 41 + (x >>> 6); x = x * 43 + (x >>> 7); x = x * 45 + (x >>> 8); x = x * 47 + (x >>> 9); x = x * 49 + (x >>> 10); x = x * 51 + (x >>> 11); x = x * 53 + (x >>> 12); x = x * 55 + (x >>> 13); x = x * 57 + (x >>> 14); x = x * 59 + (x >>> 15); x = x * 61 + (x >>> 16); x = x * 63 + (x >>> 17); x = x * 65 + (x >>> 18); x = x * 67 + (x >>> 19); x = x * 69 + (x >>> 20); x = x * 71 + (x >>> 21); x = x * 73 + (x >>> 22); x = x * 75 + (x >>> 23); x = x * 77 + (x >>> 24);
			x = x * 79 + (x >>> 25); x = x * 81 + (x >>> 26); x = x * 83 + (x >>> 27); x = x * 85 + (x >>> 28); x = x * 87 + (x >>> 29); x = x * 89 + (x >>> 1); x = x * 91 + (x >>> 2); x = x * 93 + (x >>> 3); x = x * 95 + (x >>> 4); x = x * 97 + (x >>> 5); x = x * 99 + (x >>> 6); x = x * 101 + (x >>> 7); x = x * 103 + (x >>> 8); x = x * 105 + (x >>> 9); x = x * 107 + (x >>> 10); x = x * 109 + (x >>> 11); x = x * 111 + (x >>> 12); x = x * 113 + (x >>> 13); x = x * 115 + (x >>> 14); x = x * 117 + (x >>> 15);
			return x;
		}
	}

	static final class Division {
		static void run(boolean isBad) {
			int divisor = sink + 7;
			while (goesOn()) {
				sink += isBad ? divided(divisor) : multiplied(divisor);
			}
		}

		static int divided(int divisor) {
			int sum = 0;
			for (int i = 1; i < 100_000; i++) {
				sum += (sum + i * 1_000_003) / (divisor + (i & 3));
			}
			return sum;
		}

		static int multiplied(int factor) {
			int sum = 0;
			for (int i = 1; i < 100_000; i++) {
				sum += (sum + i * 1_000_003) * (factor + (i & 3));
			}
			return sum;
		}
	}

	static final class Scalar {
		static void run(boolean isBad) {
			double[] a = new double[2000];
			double[] b = new double[2000];
			while (goesOn()) {
				for (int i = 0; i < 100; i++) {
					if (isBad) {
						byLong(a, b);
					} else {
						byInt(a, b);
					}
				}
				sink += (int) a[7];
			}
		}

		static void byLong(double[] a, double[] b) {
			for (long i = 0; i < a.length; i++) {
				a[(int) i] = b[(int) i] * 0.5 + 1;
			}
		}

		static void byInt(double[] a, double[] b) {
			for (int i = 0; i < a.length; i++) {
				a[i] = b[i] * 0.5 + 1;
			}
		}
	}

	static final class Exceptional {
		static void run(boolean isBad) {
			while (goesOn()) {
				sink += batch(isBad);
			}
		}

		static int batch(boolean isBad) {
			int sum = 0;
			for (int i = 0; i < 1000; i++) {
				sum += isBad ? caught(i) : returned(i);
			}
			return sum;
		}

		static int caught(int i) {
			try {
				return deep(i, 12);
			} catch (IllegalStateException e) {
				return e.hashCode();
			}
		}

		static int deep(int i, int depth) {
			if (depth > 0) {
				return deep(i + 1, depth - 1) + 1;
			}
			throw new IllegalStateException("none");
		}

		static int returned(int i) {
			return flat(i, 12);
		}

		static int flat(int i, int depth) {
			for (; depth > 0; depth--) {
				i = i * 31 + depth;
			}
			return i;
		}
	}

	static final class Recursion {
		static void run(boolean isBad) {
			while (goesOn()) {
				sink += isBad ? recursive(22) : iterative(1000);
			}
		}

		static int recursive(int n) {
			return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
		}

		static int iterative(int n) {
			int a = 0;
			int b = 1;
			for (int i = 0; i < n; i++) {
				int next = a + b;
				a = b;
				b = next;
			}
			return a;
		}
	}

	static final class Allocation {
		static void run(boolean isBad) {
			Object[] kept = new Object[3 << 14];
			int[] own = new int[256];
			for (int at = 0; goesOn(); at += 1000) {
				sink += isBad ? filled(kept, at) : reused(own);
			}
			sink += kept.hashCode();
		}

		static int filled(Object[] kept, int at) {
			for (int i = 0; i < 1000; i++) {
				kept[(at + i & 0x7fffffff) % kept.length] = fresh(i);
			}
			return at;
		}

		static int reused(int[] own) {
			int sum = 0;
			for (int i = 0; i < 1000; i++) {
				sum += used(own, i);
			}
			return sum;
		}

		static int[] fresh(int i) {
			int[] result = new int[256];
			result[i & 255] = i;
			return result;
		}

		static int used(int[] own, int i) {
			for (int k = 0; k < own.length; k++) {
				own[k] = own[k] * 31 + i;
			}
			return own[i & 255];
		}
	}

	static final class Contention {
		static final Object LOCK = new Object();

		static void run(boolean isBad) throws InterruptedException {
			Thread[] threads = new Thread[4];
			for (int i = 0; i < threads.length; i++) {
				threads[i] = new Thread(() -> {
					Object own = isBad ? LOCK : new Object();
					int sum = 0;
					while (goesOn()) {
						sum += locked(own, sum);
					}
					sink += sum;
				}, "worker-" + i);
				threads[i].start();
			}
			for (Thread thread : threads) {
				thread.join();
			}
		}

		static int locked(Object lock, int sum) {
			for (int i = 0; i < 100; i++) {
				synchronized (lock) {
					for (int k = 0; k < 8; k++) {
						sum = sum * 31 + (i ^ k);
					}
				}
			}
			return sum;
		}
	}

	static final class Loading {
		static void run(boolean isBad) throws Throwable {
			byte[] bytes = Copied.class.getResourceAsStream("ProblemsLab$Copied.class").readAllBytes();
			java.util.function.IntUnaryOperator one = new Copied();
			while (goesOn()) {
				if (isBad) {
					Class<?> copy = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
					one = (java.util.function.IntUnaryOperator) copy.getDeclaredConstructor().newInstance();
				}
				sink += one.applyAsInt(1);
			}
		}
	}

	/** Copies of a class that are hot all at once. */
	static final class Queue {
		static void run(boolean isBad) throws Throwable {
			byte[] bytes = Waiting.class.getResourceAsStream("ProblemsLab$Waiting.class").readAllBytes();
			List<java.util.function.IntUnaryOperator> copies = new ArrayList<>();
			for (int i = 0; i < 120; i++) {
				Class<?> copy = i == 0 || isBad ? MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass() : copies.get(0).getClass();
				copies.add((java.util.function.IntUnaryOperator) copy.getDeclaredConstructor().newInstance());
			}
			while (goesOn()) {
				for (java.util.function.IntUnaryOperator copy : copies) {
					sink += copy.applyAsInt(sink);
				}
			}
		}
	}

	/** Some tens of milliseconds of C2. */
	static final class Waiting implements java.util.function.IntUnaryOperator {
		private final int[] a = new int[24];
		private final int[] b = new int[24];
		private final int[] c = new int[24];

		public int applyAsInt(int x) {
			for (int i = 1; i < a.length; i++) {
				for (int j = i; j < b.length; j++) {
					a[i] += b[j] * 31 + x;
					x ^= c[j - i] + i;
				}
			}
			for (int i = 1; i < b.length; i++) {
				for (int j = i; j < c.length; j++) {
					b[i] += c[j] * 33 + x;
					x ^= a[j - i] + i;
				}
			}
			for (int i = 1; i < c.length; i++) {
				for (int j = i; j < a.length; j++) {
					c[i] += a[j] * 35 + x;
					x ^= b[j - i] + i;
				}
			}
			for (int i = 1; i < a.length; i++) {
				for (int j = i; j < c.length; j++) {
					a[i] += c[j] * 37 + x;
					x ^= b[j - i] + i;
				}
			}
			for (int i = 1; i < b.length; i++) {
				for (int j = i; j < a.length; j++) {
					b[i] += a[j] * 39 + x;
					x ^= c[j - i] + i;
				}
			}
			for (int i = 1; i < c.length; i++) {
				for (int j = i; j < b.length; j++) {
					c[i] += b[j] * 41 + x;
					x ^= a[j - i] + i;
				}
			}
			return x;
		}
	}

	/** Objects that are read in the order in which they lie in memory, or in another. */
	static final class Scattered {
		private final int value;

		private Scattered(int value) {
			this.value = value;
		}

		static void run(boolean isBad) {
			Scattered[] all = new Scattered[1 << 21];
			for (int i = 0; i < all.length; i++) {
				all[i] = new Scattered(i);
			}
			// What is old stays where it is.
			System.gc();
			if (isBad) {
				java.util.Collections.shuffle(java.util.Arrays.asList(all), new java.util.Random(1));
			}
			while (goesOn()) {
				// Samples of divisions, of which a processor with fast ones takes few, tell how far samples skid. What waits seldom leaves more time for them.
				sink += total(all) + divisions(sink + 7, isBad ? 6 : 2);
			}
		}

		static int total(Scattered[] all) {
			int sum = 0;
			for (Scattered one : all) {
				sum = sum * 31 + one.value;
			}
			return sum;
		}

		/** As many as a processor with fast ones needs for enough samples. */
		private static int divisions(int divisor, int times) {
			int sum = 0;
			for (int i = 0; i < times; i++) {
				sum += Division.divided(divisor + i);
			}
			return sum;
		}
	}
}
