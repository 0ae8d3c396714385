// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {PredictionMarket} from "../../src/PredictionMarket.sol";
import {PrgMarket} from "../../src/PrgMarket.sol";
import {IBurnableToken} from "../../src/interfaces/IBurnableToken.sol";
import {IPeerAccounts} from "../../src/interfaces/IPeerAccounts.sol";
import {IPeerRegistry} from "../../src/interfaces/IPeerRegistry.sol";
import {IPredictionMarket as M} from "../../src/interfaces/IPredictionMarket.sol";
import {IPrgMarket as P} from "../../src/interfaces/IPrgMarket.sol";
import {IRounds} from "../../src/interfaces/IRounds.sol";
import {ISeats} from "../../src/interfaces/ISeats.sol";
import {MarketFixture} from "./MarketFixture.sol";
import {Spine} from "./Spine.sol";

contract PrgTest is MarketFixture {
    string internal constant PEER = "QmPeer";
    string internal constant SECOND = "QmSecond";

    /// @dev The terms of games that are opened through `PrgMarket`.
    uint256 internal constant PRG_BETTING = 10 minutes;
    uint256 internal constant PRG_REVEAL = 5 minutes;

    bytes32[] internal leaves;

    function setUp() public override {
        super.setUp();
        book.speak(keccak256(bytes(PEER)), ALICE);
        book.speak(keccak256(bytes(SECOND)), BOB);
        vm.prank(OWNER);
        prg.depositBond(30e18);
        vm.prank(ALICE);
        prg.deposit(PEER, ALICE, 20e18);
        vm.prank(ALICE);
        prg.deposit(SECOND, BOB, 20e18);
        leaves = leavesOf(OWNER, 2, ANSWER);
    }

    function test_PlaysAGameAsItsClientsDo() public {
        vm.expectEmit(address(prg));
        emit P.NewGameCreated(0, 2, 3, START);
        uint256 id = _create();
        vm.assertEq(prg.bondDeposit(OWNER), 20e18);
        vm.assertEq(prg.choiceCount(id), 3);
        vm.assertEq(prg.gameStatus(id), 0);
        vm.assertEq(prg.currentRoundIdx(id), 0);
        vm.assertEq(prg.price(id, 0, 1), 1e18);
        vm.assertEq(prg.choiceTokensOut(id, 0, 1, 4e18), 4e18);

        vm.expectEmit(address(prg));
        emit P.NewGuess(id, ALICE, PEER, 0, 1, 4e18);
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 0, 1, 4e18);
        vm.prank(BOB);
        prg.guessAnswer(id, SECOND, 0, 2, 6e18);
        vm.assertEq(prg.betTokenBalance(PEER), 16e18);
        vm.assertEq(prg.choiceTokenBalance(id, 1, PEER), 4e18);
        vm.assertEq(prg.choiceSupply(id, 1), 4e18);
        vm.assertEq(prg.totalBets(id), 10e18);

        _revealBoth(id);
        vm.assertEq(prg.currentRoundIdx(id), 1);
        market.proveAnswer(id, ANSWER, saltOf(2), Spine.proof(leaves, 2));
        vm.assertEq(prg.gameStatus(id), 1);
        vm.expectEmit(address(prg));
        emit P.AnswerRevealed(id, 1, 77);
        vm.prank(OWNER);
        prg.revealAnswer(id, 1, 77);

        vm.warp(block.timestamp + 1 hours);
        uint256 before = token.balanceOf(ALICE);
        vm.expectEmit(address(prg));
        emit P.RewardClaimed(id, ALICE, PEER, 4e18, 10e18);
        vm.prank(ALICE);
        prg.claimReward(id, PEER);
        vm.assertEq(token.balanceOf(ALICE) - before, 10e18);
        vm.assertEq(prg.gameStatus(id), 2);
        vm.assertEq(market.creditOf(OWNER), 10e18);
    }

    function test_TellsOfDepositsAndOfItsMarket() public {
        vm.expectEmit(address(prg));
        emit P.BetTokensDeposited(keccak256(bytes(PEER)), BOB, PEER, 3e18);
        vm.prank(BOB);
        prg.deposit(PEER, ALICE, 3e18);
        vm.assertEq(prg.betTokenBalance(PEER), 23e18);
        PrgMarket other = new PrgMarket(IPeerAccounts(address(book)), OWNER);
        PredictionMarket bound = new PredictionMarket(
            IBurnableToken(address(token)),
            ISeats(address(book)),
            IRounds(address(book)),
            IPeerRegistry(address(book)),
            address(other),
            DISPUTE
        );
        vm.expectEmit(address(other));
        emit P.MarketBound(address(bound));
        vm.prank(OWNER);
        other.bindMarket(bound);
    }

    function test_NativeBetsAreInTheSameGame() public {
        uint256 id = _create();
        betAs(CAROL, id, 1, 5e18);
        vm.assertEq(prg.totalBets(id), 5e18);
        vm.assertEq(prg.choiceSupply(id, 1), 5e18);
    }

    function test_RefundsAPeerOfAVoidGame() public {
        uint256 id = _create();
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 0, 1, 4e18);
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 0, 0, 4e18);
        vm.warp(START + PRG_BETTING + PRG_REVEAL);
        vm.expectEmit(address(prg));
        emit P.RewardClaimed(id, ALICE, PEER, 0, 18e18);
        vm.prank(ALICE);
        prg.claimReward(id, PEER);
        vm.assertEq(prg.gameStatus(id), 3);
    }

    function test_AnnouncesOnlyRoundsWhoseClueIsProven() public {
        uint256 id = _create();
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_ClueNotProven.selector, id, 0));
        vm.prank(OWNER);
        prg.incrementRound(id);
        vm.warp(START + PRG_BETTING);
        market.revealClue(id, clueText(0), saltOf(0), Spine.proof(leaves, 0));
        vm.expectEmit(address(prg));
        emit P.RoundIncremented(id, block.timestamp);
        vm.prank(OWNER);
        prg.incrementRound(id);
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_ClueNotProven.selector, id, 1));
        vm.prank(OWNER);
        prg.incrementRound(id);
    }

    function test_AnnouncesOnlyTheAnswerProvenAndOnce() public {
        uint256 id = _create();
        bytes memory refusal = abi.encodeWithSelector(P.PrgMarket_AnswerNotProven.selector, id, 1);
        vm.expectRevert(refusal);
        vm.prank(OWNER);
        prg.revealAnswer(id, 1, 0);
        _revealBoth(id);
        market.proveAnswer(id, ANSWER, saltOf(2), Spine.proof(leaves, 2));
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_AnswerNotProven.selector, id, 0));
        vm.prank(OWNER);
        prg.revealAnswer(id, 0, 0);
        vm.prank(OWNER);
        prg.revealAnswer(id, 1, 0);
        vm.expectRevert(refusal);
        vm.prank(OWNER);
        prg.revealAnswer(id, 1, 0);
    }

    function test_QuotesRoundsUnderWayAndOver() public {
        uint256 id = _create();
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 0, 1, 4e18);
        vm.warp(START + PRG_BETTING);
        market.revealClue(id, clueText(0), saltOf(0), Spine.proof(leaves, 0));
        // Over: at its price, however much. Under way: as much as the round adds, a tenth of 4 and 0.1.
        vm.assertEq(prg.choiceTokensOut(id, 0, 1, 40e18), 40e18);
        vm.assertEq(prg.choiceTokensOut(id, 1, 1, 40e18), 0.5e18);
        vm.assertEq(prg.choiceTokensOut(id, 1, 1, 0.3e18), 199999999999999999);
        vm.assertEq(prg.price(id, 1, 1), 1500000000000000002);
    }

    function test_DisputesLastAsLongAsTheMarketAsks() public {
        PrgMarket slow = new PrgMarket(IPeerAccounts(address(book)), OWNER);
        PredictionMarket patient = new PredictionMarket(
            IBurnableToken(address(token)),
            ISeats(address(book)),
            IRounds(address(book)),
            IPeerRegistry(address(book)),
            address(slow),
            2 hours
        );
        vm.prank(OWNER);
        slow.bindMarket(patient);
        vm.prank(OWNER);
        token.approve(address(slow), type(uint256).max);
        vm.prank(OWNER);
        slow.depositBond(10e18);
        vm.prank(OWNER);
        slow.createNewGame(2, 3, Spine.root(leaves));
        vm.assertEq(patient.gameOf(0).config.disputeSec, 2 hours);
        vm.assertEq(market.gameOf(_create()).config.disputeSec, 1 hours);
    }

    function test_RevertWhen_AFutureRoundsPriceIsAsked() public {
        uint256 id = _create();
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_RoundNotOpened.selector, 1, 1));
        prg.price(id, 1, 0);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_RoundNotOpened.selector, 1, 1));
        prg.choiceTokensOut(id, 1, 0, 1e18);
    }

    function test_RevertWhen_AnotherSpeaksForThePeer() public {
        uint256 id = _create();
        bytes memory refusal = abi.encodeWithSelector(P.PrgMarket_NotPeerAccount.selector, PEER, ALICE);
        vm.expectRevert(refusal);
        vm.prank(BOB);
        prg.guessAnswer(id, PEER, 0, 1, 1e18);
        vm.expectRevert(refusal);
        vm.prank(BOB);
        prg.claimReward(id, PEER);
        vm.expectRevert(refusal);
        vm.prank(BOB);
        prg.withdraw(PEER, 1e18);
        vm.expectRevert(refusal);
        vm.prank(BOB);
        prg.deposit(PEER, BOB, 1e18);
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_NotPeerAccount.selector, "unknown", address(0)));
        vm.prank(BOB);
        prg.deposit("unknown", address(0), 1e18);
    }

    function test_RevertWhen_TheOwnersPeerBets() public {
        uint256 id = _create();
        book.speak(keccak256(bytes(PEER)), OWNER);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_JudgeCannotBet.selector, OWNER));
        vm.prank(OWNER);
        prg.guessAnswer(id, PEER, 0, 1, 1e18);
    }

    function test_RevertWhen_ADepositIsTooSmall() public {
        uint256 id = _create();
        bytes memory refusal = abi.encodeWithSelector(P.PrgMarket_DepositTooSmall.selector, 21e18, 20e18);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 0, 1, 21e18);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.withdraw(PEER, 21e18);
        _create();
        _create();
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_DepositTooSmall.selector, 10e18, 0));
        vm.prank(OWNER);
        prg.createNewGame(2, 3, bytes32("root"));
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_DepositTooSmall.selector, 1, 0));
        vm.prank(OWNER);
        prg.withdrawBond(1);
    }

    function test_RevertWhen_ADepositIsTooLarge() public {
        uint256 most = type(uint256).max;
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_DepositTooLarge.selector, most, 20e18));
        prg.deposit(PEER, ALICE, most);
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_DepositTooLarge.selector, most - 30e18 + 1, 30e18));
        vm.prank(OWNER);
        prg.depositBond(most - 30e18 + 1);
        // The largest amount that fits the counter: here the token refuses.
        bytes memory refusal = abi.encodeWithSignature(
            "ERC20InsufficientBalance(address,uint256,uint256)",
            OWNER,
            token.balanceOf(OWNER),
            most - 30e18
        );
        vm.expectRevert(refusal);
        vm.prank(OWNER);
        prg.depositBond(most - 30e18);
    }

    function test_DepositsComeBack() public {
        uint256 before = token.balanceOf(ALICE);
        vm.expectEmit(address(prg));
        emit P.BetTokensWithdrawn(keccak256(bytes(PEER)), ALICE, 15e18);
        vm.prank(ALICE);
        prg.withdraw(PEER, 15e18);
        vm.assertEq(token.balanceOf(ALICE) - before, 15e18);
        vm.assertEq(prg.betTokenBalance(PEER), 5e18);
        before = token.balanceOf(OWNER);
        vm.expectEmit(address(prg));
        emit P.BondDepositChanged(OWNER, 10e18);
        vm.prank(OWNER);
        prg.withdrawBond(20e18);
        vm.assertEq(token.balanceOf(OWNER) - before, 20e18);
    }

    function test_RevertWhen_AnotherThanTheOwnerActs() public {
        uint256 id = _create();
        bytes memory refusal = abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", ALICE);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.createNewGame(2, 3, bytes32("root"));
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.incrementRound(id);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.revealAnswer(id, 1, 0);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.bindMarket(market);
    }

    function test_AnotherOwnerOpensGamesFromADepositOfItsOwn() public {
        vm.assertEq(prg.owner(), OWNER);
        vm.expectEmit(address(prg));
        emit Ownable.OwnershipTransferred(OWNER, CAROL);
        vm.prank(OWNER);
        prg.transferOwnership(CAROL);
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, OWNER);
        vm.expectRevert(refusal);
        vm.prank(OWNER);
        prg.createNewGame(2, 3, bytes32("root"));
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_DepositTooSmall.selector, 10e18, 0));
        vm.prank(CAROL);
        prg.createNewGame(2, 3, bytes32("root"));
        vm.prank(CAROL);
        prg.depositBond(10e18);
        vm.prank(CAROL);
        uint256 id = prg.createNewGame(2, 3, bytes32("root"));
        vm.assertEq(market.gameOf(id).judge, CAROL);
    }

    /// @dev Nobody opens games then; what is deposited and bet is as good as before.
    function test_WithoutAnOwnerEverythingIsPaidBack() public {
        uint256 id = _create();
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 0, 1, 4e18);
        vm.prank(OWNER);
        prg.renounceOwnership();
        vm.assertEq(prg.owner(), address(0));
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, OWNER));
        vm.prank(OWNER);
        prg.createNewGame(2, 3, bytes32("root"));
        vm.warp(START + PRG_BETTING + PRG_REVEAL);
        uint256 before = token.balanceOf(ALICE);
        vm.prank(ALICE);
        prg.claimReward(id, PEER);
        vm.prank(ALICE);
        prg.withdraw(PEER, 16e18);
        // The bond of a game without a clue goes to who bet.
        vm.assertEq(token.balanceOf(ALICE) - before, 30e18);
        vm.prank(OWNER);
        prg.withdrawBond(20e18);
    }

    function test_RevertWhen_ANumberIsBeyondTheMarkets() public {
        uint256 id = _create();
        bytes memory refusal = abi.encodeWithSelector(SafeCast.SafeCastOverflowedUintDowncast.selector, 8, 257);
        vm.expectRevert(refusal);
        vm.prank(OWNER);
        prg.createNewGame(257, 3, bytes32("root"));
        vm.expectRevert(refusal);
        vm.prank(OWNER);
        prg.createNewGame(2, 257, bytes32("root"));
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 257, 1, 1e18);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        prg.guessAnswer(id, PEER, 0, 257, 1e18);
        vm.expectRevert(refusal);
        prg.choiceSupply(id, 257);
        vm.expectRevert(refusal);
        prg.choiceTokenBalance(id, 257, PEER);
        vm.expectRevert(refusal);
        prg.choiceTokensOut(id, 257, 0, 1e18);
        vm.expectRevert(refusal);
        prg.price(id, 0, 257);
    }

    function test_NamesItsParts() public {
        vm.assertEq(address(prg.market()), address(market));
        vm.assertEq(address(prg.swarmCoordinator()), address(book));
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        new PrgMarket(IPeerAccounts(address(book)), address(0));
    }

    function test_RevertWhen_BoundTwiceOrToAMarketWithAnotherFace() public {
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_AlreadyBound.selector, address(market)));
        vm.prank(OWNER);
        prg.bindMarket(market);
        PrgMarket other = new PrgMarket(IPeerAccounts(address(book)), OWNER);
        vm.expectRevert(abi.encodeWithSelector(P.PrgMarket_OtherFacade.selector, address(market), address(prg)));
        vm.prank(OWNER);
        other.bindMarket(market);
    }

    function _create() internal returns (uint256 id) {
        vm.prank(OWNER);
        return prg.createNewGame(2, 3, Spine.root(leaves));
    }

    function _revealBoth(uint256 id) internal {
        vm.warp(START + PRG_BETTING);
        market.revealClue(id, clueText(0), saltOf(0), Spine.proof(leaves, 0));
        vm.warp(START + 2 * PRG_BETTING + PRG_REVEAL);
        market.revealClue(id, clueText(1), saltOf(1), Spine.proof(leaves, 1));
    }
}
