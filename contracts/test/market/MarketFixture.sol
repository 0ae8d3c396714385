// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {PredictionMarket} from "../../src/PredictionMarket.sol";
import {PrgMarket} from "../../src/PrgMarket.sol";
import {IBurnableToken} from "../../src/interfaces/IBurnableToken.sol";
import {IPeerAccounts} from "../../src/interfaces/IPeerAccounts.sol";
import {IPeerRegistry} from "../../src/interfaces/IPeerRegistry.sol";
import {IMarketGames} from "../../src/interfaces/IMarketGames.sol";
import {IRounds} from "../../src/interfaces/IRounds.sol";
import {ISeats} from "../../src/interfaces/ISeats.sol";
import {MarketLeaf} from "../../src/libraries/MarketLeaf.sol";
import {TestBase} from "../TestBase.sol";
import {TestSeats, TestToken} from "./MarketDoubles.sol";
import {Spine} from "./Spine.sol";

/// @dev A market, its `PrgMarket`, seven seats, and people with tokens. Rounds last 150 s, the first 100 of them for bets.
abstract contract MarketFixture is TestBase {
    uint40 internal constant START = 1_700_000_000;
    uint32 internal constant BETTING = 100;
    uint32 internal constant REVEAL = 50;
    uint32 internal constant DISPUTE = 200;
    uint96 internal constant FREE = 1e18;
    uint112 internal constant BOND = 10e18;
    uint96 internal constant MIN_BET = 0.01e18;
    uint8 internal constant ANSWER = 1;

    address internal constant JUDGE = address(0x1D6E);
    address internal constant ALICE = address(0xA11CE);
    address internal constant BOB = address(0xB0B);
    address internal constant CAROL = address(0xCA401);
    address internal constant OWNER = address(0x0123);

    TestToken internal token;
    TestSeats internal book;
    PrgMarket internal prg;
    PredictionMarket internal market;
    bytes32[] internal seatKeys;

    /// @dev Fee of the games that tests open.
    uint16 internal feeBps;

    function setUp() public virtual {
        vm.warp(START);
        vm.roll(1_000);
        token = new TestToken();
        book = new TestSeats();
        prg = new PrgMarket(IPeerAccounts(address(book)), OWNER);
        market = new PredictionMarket(
            IBurnableToken(address(token)),
            ISeats(address(book)),
            IRounds(address(book)),
            IPeerRegistry(address(book)),
            address(prg),
            DISPUTE
        );
        vm.prank(OWNER);
        prg.bindMarket(market);
        for (uint256 i = 0; i < 7; ++i) {
            seatKeys.push(keccak256(abi.encode("seat", i)));
            book.seat(seatKeys[i], seatAccount(i));
        }
        address[5] memory people = [JUDGE, ALICE, BOB, CAROL, OWNER];
        for (uint256 i = 0; i < people.length; ++i) fund(people[i]);
    }

    function seatAccount(uint256 index) internal pure returns (address account) {
        return address(uint160(0x5EA7000 + index));
    }

    function fund(address account) internal {
        token.mint(account, 1_000_000e18);
        vm.prank(account);
        token.approve(address(market), type(uint256).max);
        vm.prank(account);
        token.approve(address(prg), type(uint256).max);
    }

    function holder(address account) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function clueText(uint256 round) internal pure returns (string memory clue) {
        return string.concat("clue ", string(abi.encodePacked(uint8(65 + round))));
    }

    function saltOf(uint256 index) internal pure returns (bytes32 salt) {
        return keccak256(abi.encode("salt", index));
    }

    function leavesOf(address judge, uint8 rounds, uint8 answer) internal view returns (bytes32[] memory leaves) {
        leaves = new bytes32[](uint256(rounds) + 1);
        for (uint8 i = 0; i < rounds; ++i) leaves[i] = clueLeaf(judge, i, clueText(i), saltOf(i));
        leaves[rounds] = answerLeaf(judge, rounds, answer, saltOf(rounds));
    }

    function clueLeaf(address judge, uint8 round, string memory clue, bytes32 salt) internal view returns (bytes32) {
        return MarketLeaf.ofClue(address(market), judge, round, clue, salt);
    }

    function answerLeaf(address judge, uint8 rounds, uint8 choice, bytes32 salt) internal view returns (bytes32) {
        return MarketLeaf.ofAnswer(address(market), judge, rounds, choice, salt);
    }

    function termsOf(
        uint8 rounds,
        uint8 choices,
        uint8 answer
    ) internal view returns (IMarketGames.GameConfig memory config) {
        return
            IMarketGames.GameConfig({
                root: Spine.root(leavesOf(JUDGE, rounds, answer)),
                roundCount: rounds,
                choiceCount: choices,
                startsAtSec: uint40(block.timestamp),
                bettingSec: BETTING,
                revealSec: REVEAL,
                disputeSec: DISPUTE,
                minBet: MIN_BET,
                freeShares: FREE,
                bond: BOND,
                feeBps: feeBps
            });
    }

    /// @dev A game that opens now, with `ANSWER` right.
    function openGame(uint8 rounds, uint8 choices) internal returns (uint256 gameId) {
        IMarketGames.GameConfig memory config = termsOf(rounds, choices, ANSWER);
        vm.prank(JUDGE);
        return market.createGame(config, "");
    }

    function betAs(address account, uint256 gameId, uint8 choice, uint256 stake) internal returns (uint256 shares) {
        uint8 round = market.gameOf(gameId).round;
        vm.prank(account);
        return market.bet(gameId, round, choice, stake);
    }

    /// @dev Goes to the span in which the next clue is due, and proves it.
    function revealNext(uint256 gameId) internal {
        IMarketGames.GameView memory game = market.gameOf(gameId);
        uint8 round = game.cluesRevealed;
        vm.warp(game.config.startsAtSec + uint256(round) * (BETTING + REVEAL) + BETTING);
        bytes32[] memory leaves = leavesOf(game.judge, game.config.roundCount, ANSWER);
        market.revealClue(gameId, clueText(round), saltOf(round), Spine.proof(leaves, round));
    }

    /// @dev Proves the next clue and goes to the first second of the round after it.
    function nextRound(uint256 gameId) internal {
        revealNext(gameId);
        vm.warp(block.timestamp + REVEAL);
    }

    /// @dev Proves all clues that are left, and the answer.
    function answerGame(uint256 gameId) internal {
        IMarketGames.GameView memory game = market.gameOf(gameId);
        uint8 rounds = game.config.roundCount;
        for (uint8 i = game.cluesRevealed; i < rounds; ++i) revealNext(gameId);
        bytes32[] memory leaves = leavesOf(game.judge, rounds, ANSWER);
        market.proveAnswer(gameId, ANSWER, saltOf(rounds), Spine.proof(leaves, rounds));
    }

    /// @dev Plays a game to its end without a dispute.
    function finishGame(uint256 gameId) internal {
        answerGame(gameId);
        vm.warp(block.timestamp + DISPUTE);
        market.resolve(gameId);
    }

    function expectPhaseRefusal(uint256 gameId, IMarketGames.Phase phase) internal {
        vm.expectRevert(abi.encodeWithSelector(IMarketGames.PredictionMarket_WrongPhase.selector, gameId, phase));
    }
}
