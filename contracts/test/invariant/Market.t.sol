// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {MarketFixture} from "../market/MarketFixture.sol";
import {MarketHandler} from "./MarketHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract MarketInvariants is MarketFixture {
    MarketHandler internal handler;
    uint256 internal supplyBefore;

    function setUp() public override {
        super.setUp();
        handler = new MarketHandler(market, token, book, seatKeys);
        supplyBefore = token.totalSupply();
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets games to their ends.
    function test_TheHandlerReachesEveryEnd() public {
        for (uint256 i = 0; i < 160; ++i) handler.pass(uint256(keccak256(abi.encode(i))));
        vm.assertLe(2, handler.resolved());
        vm.assertLe(1, handler.disputes());
        vm.assertLe(3, handler.verdicts());
        vm.assertLe(1, handler.overruled());
        vm.assertEq(handler.bondsLostByTheUpheld(), 0);
        vm.assertLe(50, handler.refused());
        vm.assertEq(handler.slipped(), 0);
        vm.assertEq(handler.stuck(), 0);
    }

    function invariant_M1_TheMarketHoldsWhatItOwes() public view {
        uint256 owed = 0;
        for (uint256 id = 0; id < handler.games(); ++id) {
            G.Phase phase = market.phaseOf(id);
            bool over = phase == G.Phase.Resolved || phase == G.Phase.Void;
            if (!over) owed += handler.gameAt(id).paidIn;
            for (uint256 i = 0; i < handler.PEOPLE(); ++i) {
                owed += market.claimableOf(id, handler.holder(handler.person(i)));
            }
        }
        for (uint256 i = 0; i < handler.PEOPLE(); ++i) owed += market.creditOf(handler.person(i));
        for (uint256 i = 0; i < seatKeys.length; ++i) owed += market.creditOf(seatAccount(i));
        vm.assertLe(owed, token.balanceOf(address(market)));
    }

    function invariant_M2_NothingComesFromNowhere() public view {
        uint256 burnt = supplyBefore + handler.paidIn() - token.totalSupply();
        vm.assertEq(token.balanceOf(address(market)) + handler.paidOut() + burnt, handler.paidIn());
    }

    function invariant_M3_RefundsAreWhole() public view {
        for (uint256 id = 0; id < handler.games(); ++id) {
            if (market.phaseOf(id) != G.Phase.Void) continue;
            for (uint256 i = 0; i < handler.PEOPLE(); ++i) {
                address account = handler.person(i);
                uint256 got = handler.received(id, account) + market.claimableOf(id, handler.holder(account));
                vm.assertLe(handler.staked(id, account), got);
            }
        }
    }

    function invariant_M4_NobodyIsPaidTwice() public view {
        for (uint256 id = 0; id < handler.games(); ++id) {
            for (uint256 i = 0; i < handler.PEOPLE(); ++i) {
                vm.assertLe(handler.claims(id, handler.person(i)), 1);
            }
        }
    }

    function invariant_M5_PayoutsStayWithinTheGame() public view {
        for (uint256 id = 0; id < handler.games(); ++id) {
            MarketHandler.Kept memory game = handler.gameAt(id);
            uint256 due = game.paidOut;
            for (uint256 i = 0; i < handler.PEOPLE(); ++i) {
                due += market.claimableOf(id, handler.holder(handler.person(i)));
            }
            vm.assertLe(due, game.paidIn);
        }
    }

    function invariant_M6_StakesAreTheSumOfPositions() public view {
        for (uint256 id = 0; id < handler.games(); ++id) {
            if (market.phaseOf(id) >= G.Phase.Resolved) continue;
            for (uint8 choice = 0; choice < handler.gameAt(id).choices; ++choice) {
                (uint256 stake, uint256 shares) = (0, 0);
                for (uint256 i = 0; i < handler.PEOPLE(); ++i) {
                    (uint256 own, uint256 part) = market.positionOf(id, choice, handler.holder(handler.person(i)));
                    (stake, shares) = (stake + own, shares + part);
                }
                (uint256 all, uint256 supply) = market.choiceOf(id, choice);
                vm.assertEq(all, stake);
                // Each position is rounded down, at most twice a round.
                vm.assertLe(shares, supply);
                vm.assertLe(supply, shares + 2 * handler.PEOPLE() * handler.gameAt(id).rounds);
            }
        }
    }

    function invariant_M7_NoGameIsStuck() public view {
        vm.assertEq(handler.stuck(), 0);
        for (uint256 id = 0; id < handler.games(); ++id) {
            MarketHandler.Kept memory game = handler.gameAt(id);
            // Its rounds, then an answer at the last second, disputed at the last second.
            uint256 last = game.startsAt + uint256(game.rounds) * (BETTING + REVEAL) + 3 * DISPUTE;
            if (block.timestamp >= last) vm.assertTrue(market.phaseOf(id) >= G.Phase.ResolutionDue);
        }
    }

    function invariant_M8_NothingSlipsThrough() public view {
        vm.assertEq(handler.slipped(), 0);
    }

    function invariant_M9_AClosedRoundsPriceStaysAndNoLaterOneIsLower() public view {
        for (uint256 id = 0; id < handler.games(); ++id) {
            G.GameView memory game = market.gameOf(id);
            for (uint8 choice = 0; choice < game.config.choiceCount; ++choice) {
                uint256 before = 1e18;
                for (uint8 round = 0; round <= game.cluesRevealed && round < game.config.roundCount; ++round) {
                    uint256 price = market.priceOf(id, round, choice);
                    vm.assertEq(price, handler.priceSeen(id, round, choice));
                    vm.assertLe(before, price);
                    before = price;
                }
            }
        }
    }

    function invariant_M10_ARoundAddsATenthAndTheFreeShares() public view {
        for (uint256 id = 0; id < handler.games(); ++id) {
            G.GameView memory game = market.gameOf(id);
            for (uint8 choice = 0; choice < game.config.choiceCount; ++choice) {
                for (uint8 round = 1; round <= game.cluesRevealed && round < game.config.roundCount; ++round) {
                    uint256 opening = handler.openingShares(id, round, choice);
                    uint256 after_ = handler.openingShares(id, round + 1, choice);
                    if (round == game.cluesRevealed || round + 1 == game.config.roundCount) {
                        (, after_) = market.choiceOf(id, choice);
                    }
                    if (opening != 0) vm.assertLe(after_, opening + opening / 10 + game.config.freeShares);
                }
            }
        }
    }

    function invariant_M11_NoDustIsLeftOnceAllHaveClaimed() public view {
        for (uint256 id = 0; id < handler.games(); ++id) {
            if (market.phaseOf(id) < G.Phase.Resolved) return;
            for (uint256 i = 0; i < handler.PEOPLE(); ++i) {
                if (market.claimableOf(id, handler.holder(handler.person(i))) != 0) return;
            }
        }
        uint256 credits = 0;
        for (uint256 i = 0; i < handler.PEOPLE(); ++i) credits += market.creditOf(handler.person(i));
        for (uint256 i = 0; i < seatKeys.length; ++i) credits += market.creditOf(seatAccount(i));
        vm.assertEq(token.balanceOf(address(market)), credits);
    }

    function invariant_M12_WhoTheVerdictUpholdsLosesNoBond() public view {
        vm.assertEq(handler.bondsLostByTheUpheld(), 0);
    }
}
