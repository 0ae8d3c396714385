// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title IMarketGames
/// @notice The part of `IPredictionMarket` by which a Judge opens a game, and clues and answer are proven.
interface IMarketGames {
    /// @notice Terms that a Judge fixes when it opens a game.
    struct GameConfig {
        /// @notice `H(clue 0, H(clue 1, ... H(last clue, answer)))` over their leaves, with `H(a, b)` the `keccak256`
        /// of both words in this order. The leaf of a clue is
        /// `keccak256(keccak256(abi.encode(chainId, market, judge, round, keccak256(clue), salt)))` with `uint256,
        /// address, address, uint8, bytes32, bytes32`; the leaf of the answer has `roundCount` as the round and the
        /// choice instead of the clue's hash.
        bytes32 root;
        /// @notice Rounds, and so clues: 1 to 32.
        uint8 roundCount;
        /// @notice Choices, 2 to 16.
        uint8 choiceCount;
        /// @notice First second of betting, Unix time; at most 30 days ahead.
        uint40 startsAtSec;
        /// @notice Length of each round's betting, seconds, at most 30 days.
        uint32 bettingSec;
        /// @notice Time to reveal each clue, seconds, at most 30 days.
        uint32 revealSec;
        /// @notice Time to dispute the answer, to commit verdicts, and to reveal them, seconds: `minDisputeSec` to 30
        /// days.
        uint32 disputeSec;
        /// @notice Smallest bet.
        uint96 minBet;
        /// @notice Shares that each later round may add to a choice on top of a tenth of its existing shares: about ten
        /// times `minBet`, and at least `minBet`.
        uint96 freeShares;
        /// @notice What the Judge forfeits to the bettors on a time-out, a cancellation or a lost dispute; at least
        /// ten times `minBet`.
        uint112 bond;
        /// @notice The Judge's part of the losing stakes if its answer stands, in ten-thousandths; at most 500.
        uint16 feeBps;
    }

    /// @notice Phase of a game: 0 unknown game; 1 betting on the next round has not begun; 2 betting; 3 and 4 the clue,
    /// or the answer, is due; 5 the answer can be disputed; 6 it is disputed; 7 anyone may resolve it; 8 a choice won;
    /// 9 refunds.
    enum Phase {
        Unknown,
        Waiting,
        Betting,
        AwaitingClue,
        AwaitingAnswer,
        Disputable,
        Disputed,
        ResolutionDue,
        Resolved,
        Void
    }

    /// @notice State of a game, except for its choices.
    struct GameView {
        GameConfig config;
        Phase phase;
        uint256 totalStake;
        address judge;
        /// @notice Round that takes bets now, or took them last.
        uint8 round;
        uint8 cluesRevealed;
        /// @notice Whether the Judge has proven its answer.
        bool answered;
        /// @notice The Judge's answer; once resolved, the choice that won.
        uint8 answer;
        uint40 answeredAtSec;
    }

    /// @notice Emitted when a game is opened.
    /// @param gameId The game; the first is 0.
    /// @param judge Who committed to it.
    /// @param config All its terms.
    /// @param details Description for people: JSON with `question` and `choices`, or plain text. Not checked.
    event GameCreated(uint256 indexed gameId, address indexed judge, GameConfig config, string details);

    /// @notice Emitted when a clue is proven.
    /// @param gameId The game.
    /// @param round The round that the clue ends.
    /// @param clue The clue.
    event ClueRevealed(uint256 indexed gameId, uint8 indexed round, string clue);

    /// @notice Emitted when the Judge's answer is proven.
    /// @param gameId The game.
    /// @param choice The choice committed to as right.
    event AnswerProven(uint256 indexed gameId, uint8 choice);

    /// @notice Thrown when a term of a game is out of bounds.
    /// @param term Name of the field of `GameConfig`.
    /// @param value The value given.
    /// @param low Least allowed.
    /// @param high Most allowed.
    error PredictionMarket_TermOutOfRange(string term, uint256 value, uint256 low, uint256 high);

    /// @notice Thrown when details or a clue are too long.
    /// @param length Length given, bytes.
    /// @param most Most allowed, bytes.
    error PredictionMarket_TextTooLong(uint256 length, uint256 most);

    /// @notice Thrown when a game does not exist.
    /// @param gameId The game.
    /// @param games Number of games.
    error PredictionMarket_UnknownGame(uint256 gameId, uint256 games);

    /// @notice Thrown when a choice does not exist in the game.
    /// @param choice The choice.
    /// @param choices Number of choices.
    error PredictionMarket_UnknownChoice(uint256 choice, uint256 choices);

    /// @notice Thrown when a step is taken in the wrong phase.
    /// @param gameId The game.
    /// @param phase Phase of the game.
    error PredictionMarket_WrongPhase(uint256 gameId, Phase phase);

    /// @notice Thrown when a clue or an answer is not at its place under the game's root.
    /// @param leaf Hash of the clue or answer.
    /// @param root The game's root.
    error PredictionMarket_NotCommitted(bytes32 leaf, bytes32 root);

    /// @notice Opens a game and takes the bond; the caller is its Judge.
    /// @param config The terms.
    /// @param details Description for people, at most 2,048 bytes.
    /// @return gameId The game.
    function createGame(GameConfig calldata config, string calldata details) external returns (uint256 gameId);

    /// @notice Proves the clue of the round whose betting has closed, and opens the next. Anyone may call.
    /// @param gameId The game.
    /// @param clue The clue, at most 4,096 bytes.
    /// @param salt Salt of its leaf.
    /// @param proof The hash of all that follows the clue, then the leaves of the clues before it, latest first.
    function revealClue(uint256 gameId, string calldata clue, bytes32 salt, bytes32[] calldata proof) external;

    /// @notice Proves the answer, after the last clue. Anyone may call.
    /// @param gameId The game.
    /// @param choice The right choice.
    /// @param salt Salt of its leaf.
    /// @param proof The leaves of all clues, last first.
    function proveAnswer(uint256 gameId, uint8 choice, bytes32 salt, bytes32[] calldata proof) external;

    /// @notice Opens a game for a Judge whose bond `peerFacade` holds. Only `peerFacade`.
    /// @param judge The Judge.
    /// @param config The terms.
    /// @return gameId The game.
    function createGameFor(address judge, GameConfig calldata config) external returns (uint256 gameId);

    /// @notice Number of games.
    /// @return count Ids run from 0 to `count - 1`.
    function gameCount() external view returns (uint256 count);

    /// @notice State of a game.
    /// @param gameId The game.
    /// @return game See `GameView`.
    function gameOf(uint256 gameId) external view returns (GameView memory game);

    /// @notice Phase of a game at the block's time.
    /// @param gameId The game.
    /// @return phase See `Phase`.
    function phaseOf(uint256 gameId) external view returns (Phase phase);

    /// @notice Least `disputeSec` of a game, long enough to draw a committee, commit and reveal.
    /// @return least Seconds.
    function minDisputeSec() external view returns (uint32 least);
}
