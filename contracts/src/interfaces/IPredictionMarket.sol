// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBurnableToken} from "./IBurnableToken.sol";
import {ICredits} from "./ICredits.sol";
import {IJury} from "./IJury.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRounds} from "./IRounds.sol";
import {ISeats} from "./ISeats.sol";

/// @title IPredictionMarket
/// @notice Parimutuel games on a committed answer, weighted by time. A Judge commits to clues and answer; in each
/// round people bet, then the round's clue is proven; at last the answer. Those who were right get their stake back
/// and the losing stakes by shares: a stake buys 1.5 times fewer of them each round. Of two equal bets on the winner
/// the earlier never pays less.
/// @dev Round r of a game takes bets in [startsAt + r * (betting + reveal), + betting), all on a choice at one rate:
/// at most 1.5^-r and that of the rounds before; less where the round would add more to the choice's shares than a
/// tenth of those at its opening and `freeShares`. Its clue is due in the `revealSec` after that, the last clue and
/// the answer in the same span. A missed deadline voids the game. Nobody owns the market, and nothing in it can be
/// changed or paused. A holder is whose position it is: the account as 32 bytes, or the key of a peer that bet
/// through `peerFacade`.
interface IPredictionMarket is ICredits, IJury {
    /// @notice What a Judge fixes when it opens a game.
    struct GameConfig {
        /// @notice Merkle root over the clues, in order, and the answer; pairs are sorted. The leaf of a clue is
        /// `keccak256(keccak256(abi.encode(chainId, market, judge, round, keccak256(clue), salt)))` with `uint256,
        /// address, address, uint8, bytes32, bytes32`; in that of the answer `roundCount` is the round, and the
        /// choice the hash.
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
        /// @notice Least bet.
        uint96 minBet;
        /// @notice Shares that each later round may add to a choice on top of a tenth of what it has, about ten least
        /// bets; at least `minBet`.
        uint96 freeShares;
        /// @notice What the Judge forfeits to the bettors on a time-out, a cancellation or a lost dispute; at least
        /// ten times `minBet`.
        uint112 bond;
        /// @notice The Judge's part of the losing stakes if its answer stands, in ten-thousandths; at most 500.
        uint16 feeBps;
    }

    /// @notice Where a game stands: 0 no such game; 1 betting on the next round has not begun; 2 betting; 3 and 4 the
    /// clue, or the answer, is due; 5 the answer can be disputed; 6 it is; 7 anyone may resolve it; 8 a choice won; 9
    /// refunds.
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

    /// @notice All about a game that is not by choice.
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

    /// @notice Where a dispute stands.
    struct DisputeView {
        address disputer;
        uint40 openedAtSec;
        /// @notice Block whose hash draws the committee.
        uint64 seedBlock;
        bool drawn;
        uint8 revealed;
        bytes32[] committee;
    }

    /// @notice Emitted when a game is opened.
    /// @param gameId The game; the first is 0.
    /// @param judge Who committed to it.
    /// @param config All its terms.
    /// @param details What it is about, for people: JSON with `question` and `choices`, or plain text. Not checked.
    event GameCreated(uint256 indexed gameId, address indexed judge, GameConfig config, string details);

    /// @notice Emitted for each bet.
    /// @param gameId The game.
    /// @param holder Whose position it is.
    /// @param account Account that bet, or that the peer belongs to.
    /// @param round The round.
    /// @param choice The choice.
    /// @param stake Tokens bet.
    /// @param shares Shares bought, unless later bets of the round on the choice dilute them.
    event BetPlaced(
        uint256 indexed gameId,
        bytes32 indexed holder,
        address indexed account,
        uint8 round,
        uint8 choice,
        uint256 stake,
        uint256 shares
    );

    /// @notice Emitted when a clue is proven.
    /// @param gameId The game.
    /// @param round The round that it ends.
    /// @param clue The clue.
    event ClueRevealed(uint256 indexed gameId, uint8 indexed round, string clue);

    /// @notice Emitted when the Judge's answer is proven.
    /// @param gameId The game.
    /// @param choice The choice committed to as right.
    event AnswerProven(uint256 indexed gameId, uint8 choice);

    /// @notice Emitted when a game's answer is disputed.
    /// @param gameId The game.
    /// @param disputer Who put up a bond against it.
    /// @param seedBlock Block whose hash draws the committee.
    event GameDisputed(uint256 indexed gameId, address indexed disputer, uint64 seedBlock);

    /// @notice Emitted when the committee of a dispute is drawn.
    /// @param gameId The game.
    /// @param committee Keys of the seats.
    event CommitteeDrawn(uint256 indexed gameId, bytes32[] committee);

    /// @notice Emitted when a seat commits to its verdict.
    /// @param gameId The game.
    /// @param seatKey The seat.
    /// @param commitment See `commitVerdict`.
    event VerdictCommitted(uint256 indexed gameId, bytes32 indexed seatKey, bytes32 commitment);

    /// @notice Emitted when a seat reveals its verdict.
    /// @param gameId The game.
    /// @param seatKey The seat.
    /// @param choice The right choice; `choiceCount` for none.
    event VerdictRevealed(uint256 indexed gameId, bytes32 indexed seatKey, uint8 choice);

    /// @notice Emitted when a game ends with a choice that won.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @param pot What its holders divide on top of their stakes: losing stakes, and a bond that the Judge forfeited.
    /// @param shares By what they divide it.
    event GameResolved(uint256 indexed gameId, uint8 choice, uint256 pot, uint256 shares);

    /// @notice Emitted when a Judge whose answer stands has its fee.
    /// @param gameId The game.
    /// @param judge Whose credit it is.
    /// @param amount Tokens, out of the losing stakes.
    event JudgePaid(uint256 indexed gameId, address indexed judge, uint256 amount);

    /// @notice Emitted when a game ends with refunds.
    /// @param gameId The game.
    /// @param pot A forfeited bond, divided by stake.
    /// @param stake All stakes.
    event GameVoided(uint256 indexed gameId, uint256 pot, uint256 stake);

    /// @notice Emitted when a holder is paid.
    /// @param gameId The game.
    /// @param holder Whose position it was.
    /// @param account Account paid.
    /// @param payout Tokens paid.
    event Claimed(uint256 indexed gameId, bytes32 indexed holder, address indexed account, uint256 payout);

    /// @notice Emitted when what rounding left of a pot is burnt.
    /// @param gameId The game.
    /// @param amount Tokens burnt.
    event DustBurnt(uint256 indexed gameId, uint256 amount);

    /// @notice Thrown when a term of a game is out of its bounds.
    /// @param term Name of the field of `GameConfig`.
    /// @param value The value given.
    /// @param low Least allowed.
    /// @param high Most allowed.
    error PredictionMarket_TermOutOfRange(string term, uint256 value, uint256 low, uint256 high);

    /// @notice Thrown when details or a clue are longer than the chain should carry.
    /// @param length Length given, bytes.
    /// @param most Most allowed, bytes.
    error PredictionMarket_TextTooLong(uint256 length, uint256 most);

    /// @notice Thrown when there is no such game.
    /// @param gameId The game asked for.
    /// @param games Number of games.
    error PredictionMarket_UnknownGame(uint256 gameId, uint256 games);

    /// @notice Thrown when there is no such choice in the game.
    /// @param choice The choice.
    /// @param choices Number of choices.
    error PredictionMarket_UnknownChoice(uint256 choice, uint256 choices);

    /// @notice Thrown when a step comes in another phase than its own.
    /// @param gameId The game.
    /// @param phase Where the game stands.
    error PredictionMarket_WrongPhase(uint256 gameId, Phase phase);

    /// @notice Thrown when a bet names another round than the one that takes bets.
    /// @param round Round named.
    /// @param current Round that takes bets.
    error PredictionMarket_WrongRound(uint256 round, uint256 current);

    /// @notice Thrown when a price is asked for of a round that has not opened.
    /// @param round Round asked for.
    /// @param opened Rounds that have.
    error PredictionMarket_RoundNotOpened(uint256 round, uint256 opened);

    /// @notice Thrown when the Judge bets on its own game.
    /// @param judge The Judge.
    error PredictionMarket_JudgeCannotBet(address judge);

    /// @notice Thrown when a bet is below the game's least.
    /// @param stake The bet.
    /// @param minBet Least bet.
    error PredictionMarket_BelowMinimum(uint256 stake, uint256 minBet);

    /// @notice Thrown when a bet buys no share.
    /// @param stake The bet.
    /// @param round Its round.
    error PredictionMarket_ZeroShares(uint256 stake, uint256 round);

    /// @notice Thrown when a bet or a quote would take a choice's stakes above 2^96 - 1.
    /// @param stake The bet.
    /// @param remaining What the choice still takes.
    error PredictionMarket_TooLarge(uint256 stake, uint256 remaining);

    /// @notice Thrown when a clue or an answer is not what the root commits to.
    /// @param leaf Hash of what was shown.
    /// @param root The game's root.
    error PredictionMarket_NotCommitted(bytes32 leaf, bytes32 root);

    /// @notice Thrown when only the Judge may do this.
    /// @param account The sender.
    /// @param judge The Judge.
    error PredictionMarket_NotJudge(address account, address judge);

    /// @notice Thrown when only the contract for RL Swarm's clients may do this.
    /// @param account The sender.
    error PredictionMarket_NotPeerFacade(address account);

    /// @notice Thrown when a game is disputed that nobody bet on.
    /// @param gameId The game.
    error PredictionMarket_NothingAtStake(uint256 gameId);

    /// @notice Thrown when the committee is drawn twice.
    /// @param gameId The game.
    error PredictionMarket_AlreadyDrawn(uint256 gameId);

    /// @notice Thrown when the hash that draws a committee cannot be had: too early, or lost.
    /// @param seedBlock Block whose hash it is.
    /// @param blockNumber The current block.
    error PredictionMarket_NoSeed(uint256 seedBlock, uint256 blockNumber);

    /// @notice Thrown when a verdict comes outside its span.
    /// @param timestamp The block's time, Unix time, seconds.
    /// @param fromSec First second of the span.
    /// @param untilSec First second after it.
    error PredictionMarket_NotNow(uint256 timestamp, uint256 fromSec, uint256 untilSec);

    /// @notice Thrown when a holder has nothing to claim, or has claimed it.
    /// @param gameId The game.
    /// @param holder The holder.
    error PredictionMarket_NothingToClaim(uint256 gameId, bytes32 holder);

    /// @notice Opens a game and takes the bond; the caller is its Judge.
    /// @param config The terms.
    /// @param details What it is about, for people, at most 2,048 bytes.
    /// @return gameId The game.
    function createGame(GameConfig calldata config, string calldata details) external returns (uint256 gameId);

    /// @notice Bets the caller's tokens. All bets of a round on a choice have one rate, so that nothing is gained by
    /// being first.
    /// @param gameId The game.
    /// @param round The round that takes bets now: a bet that arrives late is refused instead of paying a later
    /// price.
    /// @param choice The choice.
    /// @param stake Tokens; the market must be allowed to take them.
    /// @return shares Shares bought, if nothing follows in the round.
    function bet(uint256 gameId, uint8 round, uint8 choice, uint256 stake) external returns (uint256 shares);

    /// @notice Proves the clue of the round whose betting has closed, and opens the next. Anyone may call.
    /// @param gameId The game.
    /// @param clue The clue, at most 4,096 bytes.
    /// @param salt Salt of its leaf.
    /// @param proof Merkle proof against the root.
    function revealClue(uint256 gameId, string calldata clue, bytes32 salt, bytes32[] calldata proof) external;

    /// @notice Proves the answer, after the last clue. Anyone may call.
    /// @param gameId The game.
    /// @param choice The right choice.
    /// @param salt Salt of its leaf.
    /// @param proof Merkle proof against the root.
    function proveAnswer(uint256 gameId, uint8 choice, bytes32 salt, bytes32[] calldata proof) external;

    /// @notice Ends a game with refunds, before its answer is proven. The bond goes to the bettors, if there are any.
    /// @param gameId The game; the caller must be its Judge.
    function cancel(uint256 gameId) external;

    /// @notice Disputes the answer, with a bond as large as the Judge's. Once a game.
    /// @param gameId The game.
    function dispute(uint256 gameId) external;

    /// @notice Draws the committee of a dispute, up to five seats that have no part in the game. Anyone may call,
    /// once the seed's block is there and before verdicts are due.
    /// @param gameId The game.
    function drawCommittee(uint256 gameId) external;

    /// @notice Commits to a verdict.
    /// @dev `commitment` = `keccak256(abi.encode(chainId, address(this), gameId, seatKey, choice, salt))`: `uint256,
    /// address, uint256, bytes32, uint8, bytes32`.
    /// @param gameId The game.
    /// @param seatKey A seat of the committee; the caller must speak for it.
    /// @param commitment The hash.
    function commitVerdict(uint256 gameId, bytes32 seatKey, bytes32 commitment) external;

    /// @notice Reveals a verdict, after all had their time to commit.
    /// @param gameId The game.
    /// @param seatKey The seat; the caller must speak for it.
    /// @param choice The right choice; `choiceCount` for none of them.
    /// @param salt The salt of the commitment.
    function revealVerdict(uint256 gameId, bytes32 seatKey, uint8 choice, bytes32 salt) external;

    /// @notice Ends a game that is due: its answer went undisputed, its dispute is over, or a deadline was missed.
    /// @param gameId The game.
    function resolve(uint256 gameId) external;

    /// @notice Pays the caller what its position in a game is worth; resolves the game first if that is due.
    /// @param gameId The game.
    /// @return payout Tokens paid.
    function claim(uint256 gameId) external returns (uint256 payout);

    /// @notice Pays the caller all that it was credited: bonds and pay for verdicts.
    /// @return amount Tokens paid.
    function withdraw() external returns (uint256 amount);

    /// @notice Opens a game for a Judge whose bond `peerFacade` holds. Only `peerFacade`.
    /// @param judge The Judge.
    /// @param config The terms.
    /// @return gameId The game.
    function createGameFor(address judge, GameConfig calldata config) external returns (uint256 gameId);

    /// @notice Bets tokens that `peerFacade` holds for a peer. Only `peerFacade`.
    /// @param account Account that the peer belongs to.
    /// @param peerKey The peer; its position is its own.
    /// @param gameId The game.
    /// @param round The round that takes bets now.
    /// @param choice The choice.
    /// @param stake Tokens.
    /// @return shares Shares bought, if nothing follows in the round.
    function betFor(
        address account,
        bytes32 peerKey,
        uint256 gameId,
        uint8 round,
        uint8 choice,
        uint256 stake
    ) external returns (uint256 shares);

    /// @notice Pays a peer's position to its account. Only `peerFacade`.
    /// @param account Account that the peer belongs to.
    /// @param peerKey The peer.
    /// @param gameId The game.
    /// @return payout Tokens paid.
    function claimFor(address account, bytes32 peerKey, uint256 gameId) external returns (uint256 payout);

    /// @notice Number of games.
    /// @return count Ids run from 0 to `count - 1`.
    function gameCount() external view returns (uint256 count);

    /// @notice All about a game.
    /// @param gameId The game.
    /// @return game See `GameView`.
    function gameOf(uint256 gameId) external view returns (GameView memory game);

    /// @notice Where a game stands at the block's time.
    /// @param gameId The game.
    /// @return phase See `Phase`.
    function phaseOf(uint256 gameId) external view returns (Phase phase);

    /// @notice Stake on a choice and shares of it; bets of the round under way count as if it closed now.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @return stake Tokens.
    /// @return shares Shares.
    function choiceOf(uint256 gameId, uint8 choice) external view returns (uint256 stake, uint256 shares);

    /// @notice A holder's stake on a choice and shares of it, as if the round under way closed now; nothing once
    /// claimed.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @param holder The holder.
    /// @return stake Tokens.
    /// @return shares Shares.
    function positionOf(
        uint256 gameId,
        uint8 choice,
        bytes32 holder
    ) external view returns (uint256 stake, uint256 shares);

    /// @notice Tokens for a share of a choice in a round: as if it closed now for the round under way, and for good
    /// after it. It never falls, and no later round's is lower.
    /// @param gameId The game.
    /// @param round The round; one whose opening is still to come reverts.
    /// @param choice The choice.
    /// @return price 1e18 fixed point.
    function priceOf(uint256 gameId, uint8 round, uint8 choice) external view returns (uint256 price);

    /// @notice What a bet on the round that takes bets, or takes them next, would buy if nothing followed in it, and
    /// pay if its choice won and nobody bet after it.
    /// @param gameId The game.
    /// @param choice The choice.
    /// @param stake Tokens.
    /// @return shares Shares.
    /// @return payout Tokens, the stake included.
    function quote(uint256 gameId, uint8 choice, uint256 stake) external view returns (uint256 shares, uint256 payout);

    /// @notice What a holder would be paid now; 0 until the game has ended.
    /// @param gameId The game.
    /// @param holder The holder.
    /// @return payout Tokens.
    function claimableOf(uint256 gameId, bytes32 holder) external view returns (uint256 payout);

    /// @notice Whether an account has bet in a game, itself or through peers.
    /// @param gameId The game.
    /// @param account The account.
    /// @return made Whether it has.
    function hasBet(uint256 gameId, address account) external view returns (bool made);

    /// @notice A game's dispute.
    /// @param gameId The game.
    /// @return state See `DisputeView`; no disputer, no dispute.
    function disputeOf(uint256 gameId) external view returns (DisputeView memory state);

    /// @notice The token that is bet.
    /// @return token The contract.
    function token() external view returns (IBurnableToken token);

    /// @notice Who can be drawn to judge a dispute.
    /// @return seats The contract.
    function seats() external view returns (ISeats seats);

    /// @notice The clock that says which seats sit.
    /// @return clock The contract.
    function rounds() external view returns (IRounds clock);

    /// @notice Who speaks for a seat.
    /// @return registry The contract.
    function peerRegistry() external view returns (IPeerRegistry registry);

    /// @notice Least `disputeSec` of a game: the draw of a committee, commitments and their reveal fit into it.
    /// @return least Seconds.
    function minDisputeSec() external view returns (uint32 least);

    /// @notice The contract that bets for peers of RL Swarm's clients.
    /// @return facade The contract.
    function peerFacade() external view returns (address facade);
}
