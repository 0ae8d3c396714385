// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBurnableToken} from "../interfaces/IBurnableToken.sol";
import {IPeerRegistry} from "../interfaces/IPeerRegistry.sol";
import {Credits} from "../Credits.sol";
import {Jury} from "../Jury.sol";
import {IMarketDisputes} from "../interfaces/IMarketDisputes.sol";
import {IMarketGames} from "../interfaces/IMarketGames.sol";
import {IPredictionMarket} from "../interfaces/IPredictionMarket.sol";
import {IRounds} from "../interfaces/IRounds.sol";
import {ISeats} from "../interfaces/ISeats.sol";

/// @title MarketLedger
/// @notice The market's storage, and the phase of a game.
abstract contract MarketLedger is IPredictionMarket, Credits, Jury {
    /// @dev Unit of fees.
    uint256 private constant WHOLE_BPS = 10_000;

    /// @dev Result of a game.
    enum Outcome {
        Open,
        Resolved,
        Void
    }

    struct Game {
        // slot 0
        address judge;
        uint40 startsAtSec;
        uint8 roundCount;
        uint8 choiceCount;
        uint8 cluesRevealed;
        uint8 answer;
        bool answered;
        Outcome outcome;
        // slot 1: with slot 0, all that a bet reads of its game
        uint96 minBet;
        uint96 freeShares;
        uint32 bettingSec;
        uint32 revealSec;
        // slot 2
        uint112 bond;
        uint32 disputeSec;
        uint40 answeredAtSec;
        uint16 feeBps;
        // slot 3
        bytes32 root;
    }

    /// @dev All bets on a choice, and its shares before the last round with any.
    struct Pool {
        // slot 0
        uint96 stake;
        uint96 openingShares;
        uint8 firstRound;
        uint8 lastRound;
    }

    /// @dev The bets on a choice in a round, the most shares that they can buy, and their highest rate. Bets of the
    /// choice's first round are in its pool.
    struct Batch {
        // slot 0
        uint96 stake;
        uint96 most;
        uint64 ceiling;
    }

    /// @dev A holder's bets on a choice; `shares` does not include those of `round` yet.
    struct Position {
        // slot 0
        uint96 stake;
        uint96 shares;
        uint8 round;
        bool settled;
        // slot 1: those of rounds before, if `settled`
        uint96 settledStake;
    }

    /// @dev Payout of a game that has ended: holders divide `pot` by shares of the winning choice, or by stakes if the
    /// game is void.
    struct Settlement {
        // slot 0
        uint128 pot;
        uint128 weight;
        // slot 1: stakes tell when all have claimed; shares that rounding left would never be claimed
        uint128 potLeft;
        uint128 stakeLeft;
    }

    struct Dispute {
        // slot 0
        address disputer;
        uint40 openedAtSec;
        bool drawn;
        uint8 revealed;
        // slot 1
        uint64 seedBlock;
        uint64 seatRound;
        // slot 2
        bytes32[] committee;
    }

    /// @inheritdoc IPredictionMarket
    IBurnableToken public immutable token;

    /// @inheritdoc IMarketDisputes
    ISeats public immutable seats;

    /// @inheritdoc IPredictionMarket
    IRounds public immutable rounds;

    /// @inheritdoc IPredictionMarket
    address public immutable peerFacade;

    /// @inheritdoc IMarketGames
    uint32 public immutable minDisputeSec;

    uint256 internal _gameCount;

    /// @dev Existing games have at least one round.
    mapping(uint256 gameId => Game game) internal _games;

    mapping(uint256 gameId => mapping(uint256 choice => Pool all)) internal _pools;
    mapping(uint256 gameId => mapping(uint256 choice => mapping(uint256 round => Batch bets))) internal _batches;
    mapping(uint256 gameId => mapping(uint256 choice => mapping(bytes32 holder => Position own))) internal _positions;

    /// @dev Accounts that bet through a peer; those that bet directly have a position.
    mapping(uint256 gameId => mapping(address account => bool made)) internal _betThroughPeer;

    mapping(uint256 gameId => Settlement divided) internal _settlements;
    mapping(uint256 gameId => Dispute state) internal _disputes;

    /// @param token_ See `token`.
    /// @param seats_ See `seats`.
    /// @param rounds_ See `rounds`.
    /// @param registry_ See `peerRegistry`.
    /// @param peerFacade_ See `peerFacade`.
    /// @param minDisputeSec_ See `minDisputeSec`.
    constructor(
        IBurnableToken token_,
        ISeats seats_,
        IRounds rounds_,
        IPeerRegistry registry_,
        address peerFacade_,
        uint32 minDisputeSec_
    ) Jury(registry_) {
        token = token_;
        seats = seats_;
        rounds = rounds_;
        peerFacade = peerFacade_;
        minDisputeSec = minDisputeSec_;
    }

    /// @inheritdoc IMarketGames
    function gameCount() external view returns (uint256 count) {
        return _gameCount;
    }

    /// @inheritdoc IPredictionMarket
    function peerRegistry() external view returns (IPeerRegistry registry) {
        return _registry;
    }

    /// @inheritdoc IPredictionMarket
    function hasBet(uint256 gameId, address account) public view returns (bool made) {
        if (_betThroughPeer[gameId][account]) return true;
        return _hasPosition(gameId, _holderOf(account));
    }

    /// @inheritdoc IMarketGames
    function phaseOf(uint256 gameId) public view returns (Phase phase) {
        Game storage game = _games[gameId];
        if (game.roundCount == 0) return Phase.Unknown;
        if (game.outcome != Outcome.Open) return game.outcome == Outcome.Resolved ? Phase.Resolved : Phase.Void;
        if (game.answered) return _phaseAfterAnswer(gameId, game);
        if (block.timestamp < game.startsAtSec) return Phase.Waiting;
        if (_missedDeadline(game)) return Phase.ResolutionDue;
        // No deadline was missed: all clues of earlier rounds are proven, and this round is not past the last.
        uint256 round = _roundOf(game);
        if (block.timestamp < _opensAt(game, round) + game.bettingSec) return Phase.Betting;
        if (game.cluesRevealed == round) return Phase.AwaitingClue;
        return game.cluesRevealed == game.roundCount ? Phase.AwaitingAnswer : Phase.Waiting;
    }

    function _phaseAfterAnswer(uint256 gameId, Game storage game) internal view returns (Phase phase) {
        Dispute storage state = _disputes[gameId];
        if (state.disputer == address(0)) {
            bool open = block.timestamp < uint256(game.answeredAtSec) + game.disputeSec;
            return open ? Phase.Disputable : Phase.ResolutionDue;
        }
        bool allIn = state.drawn && state.revealed == state.committee.length;
        bool over = block.timestamp >= uint256(state.openedAtSec) + 2 * uint256(game.disputeSec);
        return allIn || over ? Phase.ResolutionDue : Phase.Disputed;
    }

    /// @dev Whether the next clue, or the answer, is overdue.
    function _missedDeadline(Game storage game) internal view returns (bool missed) {
        uint256 clue = game.cluesRevealed;
        return block.timestamp >= _opensAt(game, clue < game.roundCount ? clue + 1 : clue);
    }

    /// @dev The round by time; `roundCount` or more after the last.
    function _roundOf(Game storage game) internal view returns (uint256 round) {
        return (block.timestamp - game.startsAtSec) / (uint256(game.bettingSec) + game.revealSec);
    }

    /// @dev The Judge's fee on losing stakes if its answer stands.
    function _feeOf(Game storage game, uint256 losing) internal view returns (uint256 fee) {
        return (losing * game.feeBps) / WHOLE_BPS;
    }

    function _opensAt(Game storage game, uint256 round) internal view returns (uint256 atSec) {
        return game.startsAtSec + round * (uint256(game.bettingSec) + game.revealSec);
    }

    function _requireGame(uint256 gameId) internal view returns (Game storage game) {
        game = _games[gameId];
        if (game.roundCount == 0) revert PredictionMarket_UnknownGame(gameId, _gameCount);
    }

    function _requirePhase(uint256 gameId, Phase due) internal view {
        Phase phase = phaseOf(gameId);
        if (phase != due) revert PredictionMarket_WrongPhase(gameId, phase);
    }

    function _requirePeerFacade() internal view {
        if (msg.sender != peerFacade) revert PredictionMarket_NotPeerFacade(msg.sender);
    }

    function _hasPosition(uint256 gameId, bytes32 holder) internal view returns (bool has) {
        uint256 choices = _games[gameId].choiceCount;
        for (uint256 choice = 0; choice < choices; ++choice) {
            if (_positions[gameId][choice][holder].stake != 0) return true;
        }
    }

    function _totalStake(uint256 gameId) internal view returns (uint256 total) {
        uint256 choices = _games[gameId].choiceCount;
        for (uint256 choice = 0; choice < choices; ++choice) total += _pools[gameId][choice].stake;
    }

    function _holderOf(address account) internal pure returns (bytes32 holder) {
        return bytes32(uint256(uint160(account)));
    }
}
