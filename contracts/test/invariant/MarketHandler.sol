// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMarketDisputes as D} from "../../src/interfaces/IMarketDisputes.sol";
import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {PredictionMarket} from "../../src/PredictionMarket.sol";
import {MarketLeaf} from "../../src/libraries/MarketLeaf.sol";
import {TestBase} from "../TestBase.sol";
import {TestSeats, TestToken} from "../market/MarketDoubles.sol";
import {Spine} from "../market/Spine.sol";

/// @dev Plays games at random: honest and lying Judges, bettors, a disputer, a committee that agrees or not, and people who try
/// what is not theirs. It keeps its own books, in the plainest form. `slipped` counts what should have been refused.
contract MarketHandler is TestBase {
    /// @dev A game as the handler knows it.
    struct Kept {
        address judge;
        address disputer;
        uint8 rounds;
        uint8 choices;
        uint8 committed;
        uint8 truth;
        uint40 startsAt;
        uint256 paidIn;
        uint256 paidOut;
        uint256 bond;
    }

    uint256 public constant PEOPLE = 5;
    uint256 internal constant MOST_GAMES = 6;
    uint32 internal constant BETTING = 100;
    uint32 internal constant REVEAL = 50;
    uint32 internal constant DISPUTE = 200;
    uint96 internal constant FREE = 5e18;

    PredictionMarket internal market;
    TestToken internal token;
    TestSeats internal book;
    bytes32[] internal seatKeys;

    Kept[] internal _games;
    mapping(uint256 gameId => mapping(address account => uint256)) public staked;
    mapping(uint256 gameId => mapping(address account => uint256)) public claims;
    mapping(uint256 gameId => mapping(address account => uint256)) public received;
    mapping(uint256 gameId => mapping(uint256 round => mapping(uint256 choice => uint256))) public priceSeen;
    mapping(uint256 gameId => mapping(uint256 round => mapping(uint256 choice => uint256))) public openingShares;

    mapping(uint256 gameId => mapping(uint256 choice => uint256)) internal votesFor;
    /// @dev All have claimed; who meddles tries again.
    mapping(uint256 gameId => bool) internal isOver;

    uint256 public paidIn;
    uint256 public paidOut;
    uint256 public slipped;
    uint256 public stuck;
    uint256 public refused;
    uint256 public resolved;
    uint256 public voided;
    uint256 public disputes;
    uint256 public verdicts;
    uint256 public overruled;
    uint256 public bondsLostByTheUpheld;

    constructor(PredictionMarket market_, TestToken token_, TestSeats book_, bytes32[] memory seatKeys_) {
        (market, token, book, seatKeys) = (market_, token_, book_, seatKeys_);
    }

    function games() external view returns (uint256 count) {
        return _games.length;
    }

    function gameAt(uint256 gameId) external view returns (Kept memory game) {
        return _games[gameId];
    }

    function person(uint256 index) public pure returns (address account) {
        return address(uint160(0xBE7000 + index));
    }

    function holder(address account) public pure returns (bytes32 key) {
        return bytes32(uint256(uint160(account)));
    }

    /// @dev A whole step of every game, since single calls at random would seldom get one to its end.
    function pass(uint256 drawn) external {
        uint256 draw = mixed(drawn);
        if (_games.length < MOST_GAMES && draw % 3 == 0) open(draw >> 8);
        for (uint256 id = 0; id < _games.length; ++id) {
            if (isOver[id]) continue;
            uint256 own = uint256(keccak256(abi.encode(draw, id)));
            for (uint256 i = 0; i < 3; ++i) bet(id, own >> (16 * i));
            // A Judge that loses interest runs into a deadline.
            if (own % 32 != 0) {
                // The last clue and the answer are due in one span.
                show(id);
                show(id);
            }
            if (own % 128 == 1) cancel(id);
            quarrel(id, own >> 64);
            end(id);
        }
        vm.warp(block.timestamp + bound(draw >> 16, 20, 50));
        vm.roll(block.number + 1 + (draw % 8));
    }

    /// @dev One call more, on any game; seldom a cancellation, so that most games get to their ends.
    function meddle(uint256 drawn) external {
        uint256 draw = mixed(drawn);
        if (_games.length == 0) return;
        (uint256 id, uint256 what) = ((draw >> 8) % _games.length, draw % 6);
        if (what == 0) bet(id, draw >> 16);
        else if (what == 1) show(id);
        else if (what == 2 && (draw >> 16) % 8 == 0) cancel(id);
        else if (what == 3) quarrel(id, draw >> 16);
        else if (what == 4) end(id);
        else collect(id, person((draw >> 16) % PEOPLE));
    }

    function open(uint256 draw) internal {
        Kept memory game;
        game.judge = person(draw % 2);
        (game.rounds, game.choices) = (uint8(1 + ((draw >> 8) % 3)), uint8(2 + ((draw >> 16) % 3)));
        game.truth = uint8((draw >> 24) % game.choices);
        game.committed = (draw >> 32) % 2 == 0 ? (game.truth + 1) % game.choices : game.truth;
        (game.startsAt, game.bond) = (uint40(block.timestamp), 1e18 + (draw % 1e18));
        G.GameConfig memory config = G.GameConfig({
            root: Spine.root(leavesOf(game)),
            roundCount: game.rounds,
            choiceCount: game.choices,
            startsAtSec: game.startsAt,
            bettingSec: BETTING,
            revealSec: REVEAL,
            disputeSec: DISPUTE,
            minBet: 1e6,
            freeShares: FREE,
            bond: uint112(game.bond),
            feeBps: uint16((draw >> 48) % 501)
        });
        pay(game.judge, game.bond);
        vm.prank(game.judge);
        uint256 id = market.createGame(config, "");
        require(id == _games.length, "ids are not in order");
        _games.push(game);
        _games[id].paidIn = game.bond;
        seePrices(id, 0);
    }

    /// @dev By anyone, on anything, of any size, at any time; with an even draw also what must not get through.
    function bet(uint256 id, uint256 draw) internal {
        Kept storage game = _games[id];
        G.GameView memory now_ = market.gameOf(id);
        address account = person((draw >> 4) % PEOPLE);
        uint8 choice = uint8((draw >> 8) % (uint256(game.choices) + 1));
        uint8 round = (draw >> 12) % 16 == 0 ? now_.round + 1 : now_.round;
        // From dust to whales.
        uint256 stake = 1e5 << bound(draw >> 3, 0, 50);
        bool allowed =
            now_.phase == G.Phase.Betting &&
                round == now_.round &&
                account != game.judge &&
                choice < game.choices &&
                stake >= 1e6;
        pay(account, stake);
        vm.prank(account);
        try market.bet(id, round, choice, stake) returns (uint256 shares) {
            note(allowed);
            // A share is never cheaper than the price before the bet, which is rounded up.
            if (shares * (priceSeen[id][round][choice] - 1) > stake * 1e18) ++slipped;
            priceSeen[id][round][choice] = market.priceOf(id, round, choice);
            staked[id][account] += stake;
            game.paidIn += stake;
        } catch {
            require(!allowed, "a good bet was refused");
            unpay(account, stake);
        }
    }

    function show(uint256 id) internal {
        Kept storage game = _games[id];
        G.GameView memory now_ = market.gameOf(id);
        bytes32[] memory leaves = leavesOf(game);
        uint8 next = now_.cluesRevealed;
        if (next < game.rounds) {
            try market.revealClue(id, "clue", bytes32(uint256(next)), Spine.proof(leaves, next)) {
                note(now_.phase == G.Phase.AwaitingClue);
                if (next + 1 < game.rounds) seePrices(id, next + 1);
            } catch {
                require(now_.phase != G.Phase.AwaitingClue, "a good clue was refused");
                ++refused;
            }
            return;
        }
        bytes32[] memory proof = Spine.proof(leaves, game.rounds);
        uint8 other = (game.committed + 1) % game.choices;
        try market.proveAnswer(id, other, bytes32(uint256(game.rounds)), proof) {
            ++slipped;
        } catch {
            ++refused;
        }
        try market.proveAnswer(id, game.committed, bytes32(uint256(game.rounds)), proof) {
            note(now_.phase == G.Phase.AwaitingAnswer);
        } catch {
            require(now_.phase != G.Phase.AwaitingAnswer, "a good answer was refused");
            ++refused;
        }
    }

    function cancel(uint256 id) internal {
        Kept storage game = _games[id];
        G.GameView memory now_ = market.gameOf(id);
        bool allowed = !now_.answered && now_.phase < G.Phase.Disputable;
        try market.cancel(id) {
            ++slipped;
        } catch {
            ++refused;
        }
        vm.prank(game.judge);
        try market.cancel(id) {
            note(allowed);
        } catch {
            require(!allowed, "a good cancellation was refused");
            ++refused;
        }
    }

    /// @dev Disputes a lie, and sometimes the truth; the committee says the truth, or falls apart.
    function quarrel(uint256 id, uint256 draw) internal {
        Kept storage game = _games[id];
        G.Phase phase = market.phaseOf(id);
        if (phase == G.Phase.Disputable && (game.committed != game.truth || draw % 4 == 0)) {
            address account = person(2 + (draw % 3));
            pay(account, game.bond);
            vm.prank(account);
            try market.dispute(id) {
                (game.disputer, game.paidIn) = (account, game.paidIn + game.bond);
                ++disputes;
            } catch {
                unpay(account, game.bond);
            }
        }
        if (phase == G.Phase.Disputed) deliberate(id, draw);
    }

    function end(uint256 id) internal {
        G.Phase phase = market.phaseOf(id);
        uint256 judgeHad = market.creditOf(_games[id].judge);
        uint256 disputerHad = market.creditOf(_games[id].disputer);
        try market.resolve(id) {
            note(phase == G.Phase.ResolutionDue);
            if (market.phaseOf(id) == G.Phase.Resolved) ++resolved;
            else ++voided;
            if (_games[id].disputer != address(0)) checkBonds(id, judgeHad, disputerHad);
        } catch {
            if (phase == G.Phase.ResolutionDue) ++stuck;
        }
        if (phase != G.Phase.Resolved && phase != G.Phase.Void) return;
        for (uint256 i = 0; i < PEOPLE; ++i) collect(id, person(i));
        isOver[id] = true;
    }

    function collect(uint256 id, address account) internal {
        uint256 due = market.claimableOf(id, holder(account));
        // Amounts that are due end with the first claim.
        bool ends = market.phaseOf(id) == G.Phase.ResolutionDue;
        vm.prank(account);
        try market.claim(id) returns (uint256 payout) {
            note(ends || due == payout);
            ++claims[id][account];
            received[id][account] += payout;
            _games[id].paidOut += payout;
            paidOut += payout;
        } catch {
            require(due == 0, "a good claim was refused");
        }
        uint256 credit = market.creditOf(account);
        if (credit == 0) return;
        vm.prank(account);
        paidOut += market.withdraw();
    }

    /// @dev Counts the verdicts that were revealed the plain way: the side of the majority gets its bond back, and without
    /// one both do.
    function checkBonds(uint256 id, uint256 judgeHad, uint256 disputerHad) internal {
        Kept storage game = _games[id];
        bool judgeWhole = market.creditOf(game.judge) >= judgeHad + game.bond;
        bool disputerWhole = market.creditOf(game.disputer) >= disputerHad + game.bond;
        uint256 size = market.disputeOf(id).committee.length;
        bool reached = false;
        bool upheld = false;
        for (uint256 choice = 0; choice <= game.choices; ++choice) {
            if (2 * votesFor[id][choice] <= size || votesFor[id][choice] < 2) continue;
            (reached, upheld) = (true, choice == game.committed);
        }
        if (reached && !upheld) ++overruled;
        bool fair = reached ? (upheld ? judgeWhole : disputerWhole) : judgeWhole && disputerWhole;
        if (!fair) ++bondsLostByTheUpheld;
    }

    function deliberate(uint256 id, uint256 draw) internal {
        D.DisputeView memory state = market.disputeOf(id);
        if (!state.drawn) {
            try market.drawCommittee(id) {} catch {
                ++refused;
            }
            return;
        }
        for (uint256 i = 0; i < state.committee.length; ++i) {
            bytes32 seat = state.committee[i];
            address account = book.accountOf(seat);
            // In this dispute a seat may never come, or never reveal.
            uint256 habit = uint256(keccak256(abi.encode(id, seat))) % 8;
            if (habit == 0) continue;
            // Two of five may say anything; the draw must be the same at commitment and reveal.
            uint8 choice = i < 2 ? uint8(id % 2) : _games[id].truth;
            bytes32 hash = keccak256(abi.encode(block.chainid, address(market), id, seat, choice, bytes32("s")));
            if (block.timestamp < state.openedAtSec + DISPUTE) {
                if (draw % 8 == 0) continue;
                vm.prank(account);
                try market.commitVerdict(id, seat, hash) {} catch {}
            } else if (habit != 1) {
                vm.prank(account);
                try market.revealVerdict(id, seat, choice, "s") {
                    ++verdicts;
                    ++votesFor[id][choice];
                } catch {}
            }
        }
    }

    function seePrices(uint256 id, uint8 round) internal {
        for (uint8 choice = 0; choice < _games[id].choices; ++choice) {
            priceSeen[id][round][choice] = market.priceOf(id, round, choice);
            (, openingShares[id][round][choice]) = market.choiceOf(id, choice);
        }
    }

    function leavesOf(Kept memory game) internal view returns (bytes32[] memory leaves) {
        leaves = new bytes32[](uint256(game.rounds) + 1);
        for (uint8 i = 0; i < game.rounds; ++i) {
            leaves[i] = MarketLeaf.ofClue(address(market), game.judge, i, "clue", bytes32(uint256(i)));
        }
        leaves[game.rounds] = MarketLeaf.ofAnswer(
            address(market),
            game.judge,
            game.rounds,
            game.committed,
            bytes32(uint256(game.rounds))
        );
    }

    function pay(address account, uint256 amount) internal {
        token.mint(account, amount);
        vm.prank(account);
        token.approve(address(market), type(uint256).max);
        paidIn += amount;
    }

    function unpay(address account, uint256 amount) internal {
        vm.prank(account);
        token.burn(amount);
        paidIn -= amount;
        ++refused;
    }

    function note(bool allowed) internal {
        if (!allowed) ++slipped;
    }
}
